package perfgate.db.command;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A small file system of its own, to fill up or to make read-only. Only root may mount one. */
record Tmpfs(Path path) implements AutoCloseable {

    static Tmpfs mount(Path path, String options) throws IOException {
        Files.createDirectories(path);
        boolean mounted = run("mount", "-t", "tmpfs", "-o", options, "tmpfs", path.toString()) == 0;
        assumeTrue(mounted, "skipped: this user may not mount a tmpfs");
        return new Tmpfs(path);
    }

    void makeReadOnly() throws IOException {
        if (run("mount", "-o", "remount,ro", path.toString()) != 0) {
            throw new IOException("cannot make " + path + " read-only");
        }
    }

    long freeBytes() throws IOException {
        return Files.getFileStore(path).getUsableSpace();
    }

    /** Writes until no more than this is free. */
    void fill(long leaveBytes) throws IOException {
        try (var out = Files.newOutputStream(path.resolve("filler"))) {
            byte[] block = new byte[1 << 20];
            while (freeBytes() > leaveBytes) {
                out.write(block);
            }
        }
    }

    private static int run(String... command) throws IOException {
        return new ProcessBuilder(command).start().onExit().join().exitValue();
    }

    @Override
    public void close() throws IOException {
        run("umount", "--lazy", path.toString());
    }
}
