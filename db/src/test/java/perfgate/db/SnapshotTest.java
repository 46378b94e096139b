package perfgate.db;

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

class SnapshotTest {
    private static final EngineVersions VERSIONS = EngineVersions.packaged();
    private static final SnapshotKey KEY = SnapshotKey.of(VERSIONS);

    @TempDir
    private Path directory;

    @BeforeEach
    void oneFile() throws IOException {
        Files.createDirectories(directory.resolve("mariadb"));
        Files.writeString(directory.resolve("mariadb/ibdata1"), "data");
    }

    @Test
    void wholeOneOpens() throws Exception {
        manifest(SnapshotKey.FORMAT, KEY.value(), VERSIONS.id());

        assertThat(open().manifest().bytes()).isEqualTo(4);
    }

    @Test
    void withoutManifestItIsHalfWritten() {
        assertUnusable("it is half-written: it has no manifest");
    }

    @Test
    void brokenManifest() throws Exception {
        Files.writeString(directory.resolve(SnapshotManifest.FILE), "{\"format\":");

        assertUnusable("its manifest cannot be read");
    }

    @Test
    void otherFormat() throws Exception {
        manifest(SnapshotKey.FORMAT + 1, KEY.value(), VERSIONS.id());

        assertUnusable("it has format 2, this program reads format 1");
    }

    @Test
    void otherEngine() throws Exception {
        manifest(SnapshotKey.FORMAT, KEY.value(), "mariadb-10.6.1");

        assertUnusable("it is of mariadb-10.6.1, this program runs mariadb-11.4.5");
    }

    @Test
    void otherKey() throws Exception {
        manifest(SnapshotKey.FORMAT, "ffff", VERSIONS.id());

        assertUnusable("its manifest names the key ffff");
    }

    @Test
    void truncatedFile() throws Exception {
        manifest(SnapshotKey.FORMAT, KEY.value(), VERSIONS.id());
        Files.writeString(directory.resolve("mariadb/ibdata1"), "da");

        assertUnusable("it is corrupt: mariadb/ibdata1 has 2 bytes, 4 were written");
    }

    @Test
    void missingFile() throws Exception {
        manifest(SnapshotKey.FORMAT, KEY.value(), VERSIONS.id());
        Files.delete(directory.resolve("mariadb/ibdata1"));

        assertUnusable("it is corrupt: mariadb/ibdata1 is missing");
    }

    private Snapshot open() throws Exception {
        return Snapshot.open(directory, KEY, VERSIONS);
    }

    private void assertUnusable(String message) {
        assertThatThrownBy(this::open).isInstanceOf(Snapshot.Unusable.class).hasMessageContaining(message);
    }

    private void manifest(int format, String key, String engines) throws IOException {
        var manifest = new SnapshotManifest(
                format, key, engines, Map.of(), Map.of(), new TreeMap<>(Map.of("mariadb/ibdata1", 4L)));
        Files.writeString(directory.resolve(SnapshotManifest.FILE), Json.pretty(manifest));
    }
}
