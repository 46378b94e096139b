package perfgate.db.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import perfgate.db.Fault;
import perfgate.db.server.Engines;
import tools.jackson.databind.json.JsonMapper;

class SnapshotTest {
    @TempDir
    private Path directory;

    @BeforeEach
    void oneFile() throws IOException {
        Files.createDirectories(directory.resolve("mariadb"));
        Files.writeString(directory.resolve("mariadb/ibdata1"), "data");
    }

    @Test
    void completeSnapshotOpens() throws Exception {
        manifest(Snapshot.FORMAT, Snapshot.KEY, Engines.ID);

        assertThat(Snapshot.open(directory).manifest().bytes()).isEqualTo(4);
    }

    @Test
    void withoutManifestItIsHalfWritten() {
        assertUnusable("it is half-written: it has no manifest");
    }

    @Test
    void brokenManifest() throws Exception {
        Files.writeString(directory.resolve(Snapshot.Manifest.FILE), "{\"format\":");

        assertUnusable("its manifest cannot be read");
    }

    @Test
    void otherFormat() throws Exception {
        manifest(Snapshot.FORMAT + 1, Snapshot.KEY, Engines.ID);

        assertUnusable("format 2, but this program needs");
    }

    @Test
    void otherEngine() throws Exception {
        manifest(Snapshot.FORMAT, Snapshot.KEY, "mariadb-10.6.1");

        assertUnusable("mariadb-10.6.1, format 1, but this program needs");
    }

    @Test
    void otherKey() throws Exception {
        manifest(Snapshot.FORMAT, "ffff", Engines.ID);

        assertUnusable("it has key ffff");
    }

    @Test
    void truncatedFile() throws Exception {
        manifest(Snapshot.FORMAT, Snapshot.KEY, Engines.ID);
        Files.writeString(directory.resolve("mariadb/ibdata1"), "da");

        assertUnusable("it is corrupt: mariadb/ibdata1 has 2 bytes, not 4");
    }

    @Test
    void missingFile() throws Exception {
        manifest(Snapshot.FORMAT, Snapshot.KEY, Engines.ID);
        Files.delete(directory.resolve("mariadb/ibdata1"));

        assertUnusable("it is corrupt: mariadb/ibdata1 is missing");
    }

    private void assertUnusable(String message) {
        assertThatThrownBy(() -> Snapshot.open(directory))
                .isInstanceOf(Fault.class)
                .hasMessageContaining(message);
    }

    private void manifest(int format, String key, String engines) {
        var manifest = new Snapshot.Manifest(
                format, key, engines, Map.of(), Map.of(), new TreeMap<>(Map.of("mariadb/ibdata1", 4L)));
        JsonMapper.shared().writeValue(directory.resolve(Snapshot.Manifest.FILE), manifest);
    }
}
