package perfgate.db;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeftoversTest {
    @TempDir
    private Path directory;

    private Process child;

    @BeforeEach
    void startChild() throws IOException {
        child = new ProcessBuilder("sleep", "60").directory(directory.toFile()).start();
    }

    @AfterEach
    void endChild() {
        child.destroyForcibly();
    }

    @Test
    void childOfAKilledLauncherIsKilled() throws Exception {
        onFile(Path.of("/proc", Long.toString(child.pid()), "exe").toRealPath(), directory);

        leftovers().end();

        assertThat(child.isAlive()).isFalse();
    }

    @Test
    void anotherProgramUnderTheSameIdIsSpared() throws Exception {
        onFile(Path.of("/opt/mariadbd"), directory);

        leftovers().end();

        assertThat(child.isAlive()).isTrue();
    }

    @Test
    void theSameProgramElsewhereIsSpared() throws Exception {
        onFile(Path.of("/proc", Long.toString(child.pid()), "exe").toRealPath(), directory.resolve("other"));

        leftovers().end();

        assertThat(child.isAlive()).isTrue();
    }

    private Leftovers leftovers() {
        return new Leftovers(directory.resolve("servers.json"));
    }

    private void onFile(Path program, Path workingDirectory) throws IOException {
        Files.writeString(directory.resolve("servers.json"), """
                {"children":[{"name":"mariadbd","pid":%d,"program":"%s","directory":"%s"}]}
                """.formatted(child.pid(), program, workingDirectory));
    }
}
