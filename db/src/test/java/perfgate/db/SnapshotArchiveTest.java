package perfgate.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnapshotArchiveTest {
    private static final EngineVersions VERSIONS = new EngineVersions("11.4.5", "1.4.4");
    private static final SnapshotKey KEY = new SnapshotKey("0011223344556677");

    @TempDir
    private Path directory;

    private SnapshotArchive archive;

    @BeforeEach
    void writeArchive() throws Exception {
        Path snapshot = directory.resolve("snapshot");
        Files.createDirectories(snapshot.resolve("mariadb/perfgate"));
        Files.createDirectories(snapshot.resolve("redis"));
        var noise = new byte[700];
        new Random(1).nextBytes(noise);
        Files.write(snapshot.resolve("mariadb/perfgate/trips.ibd"), noise);
        Files.writeString(snapshot.resolve("mariadb/ibdata1"), "data");
        Files.writeString(snapshot.resolve("redis/dump.rdb"), "keys");
        var manifest = new SnapshotManifest(
                SnapshotKey.FORMAT,
                KEY.value(),
                VERSIONS.id(),
                Map.of("database", "MariaDB 11.4.5"),
                Map.of(),
                Snapshot.files(snapshot));
        Files.writeString(snapshot.resolve(SnapshotManifest.FILE), Json.pretty(manifest));
        archive = SnapshotArchive.of(Files.createDirectories(directory.resolve("archives")), KEY);
        archive.write(Snapshot.open(snapshot, KEY, VERSIONS));
    }

    @Test
    void bringsBackWhatWentIn() throws Exception {
        archive.requireSound();

        SnapshotManifest manifest = archive.unpack(KEY, VERSIONS, target());

        assertThat(manifest.versions()).containsEntry("database", "MariaDB 11.4.5");
        for (String folder : List.of(Snapshot.MARIADB, Snapshot.REDIS)) {
            Path source = directory.resolve("snapshot").resolve(folder);
            for (String name : DirectoryTree.sizes(source).keySet()) {
                assertThat(directory.resolve("volumes").resolve(folder).resolve(name))
                        .hasSameBinaryContentAs(source.resolve(name));
            }
        }
    }

    @Test
    void leavesNothingBesideAndIsCheckedByCommonTools() throws Exception {
        try (var files = Files.list(archive.file().getParent())) {
            assertThat(files).containsExactlyInAnyOrder(archive.file(), archive.checksumFile());
        }
        assertThat(archive.checksumFile()).content().matches("[0-9a-f]{64}  0011223344556677\\.tar\\.zst\n");
    }

    @Test
    void sameSnapshotMakesTheSameArchive() throws Exception {
        byte[] first = Files.readAllBytes(archive.file());

        archive.write(Snapshot.open(directory.resolve("snapshot"), KEY, VERSIONS));

        assertThat(archive.file()).hasBinaryContent(first);
    }

    @Test
    void truncatedAtAnyByteIsFound() throws Exception {
        byte[] whole = Files.readAllBytes(archive.file());
        assertThat(whole.length).isGreaterThan(700);
        for (int length = 0; length < whole.length; length++) {
            Files.write(archive.file(), Arrays.copyOf(whole, length));
            assertUnusable("it is damaged: its %d bytes".formatted(length));
        }
    }

    @Test
    void anyFlippedBitIsFound() throws Exception {
        byte[] whole = Files.readAllBytes(archive.file());
        for (int at = 0; at < whole.length; at++) {
            byte[] damaged = whole.clone();
            damaged[at] ^= (byte) (1 << at % 8);
            Files.write(archive.file(), damaged);
            assertUnusable("it is damaged");
        }
    }

    @Test
    void missingPartsAreFound() throws Exception {
        Files.delete(archive.checksumFile());
        assertUnusable("it has no checksum");

        Files.writeString(archive.checksumFile(), "");
        assertUnusable("it is damaged");

        Files.delete(archive.file());
        assertUnusable("it is missing");
    }

    @Test
    void anotherKeysDataIsRefused() {
        assertThatThrownBy(() -> archive.unpack(new SnapshotKey("8899aabbccddeeff"), VERSIONS, target()))
                .isInstanceOf(Snapshot.Unusable.class)
                .hasMessageContaining("names the key 0011223344556677");
    }

    @Test
    void writesNothingOutsideItsTargets() throws Exception {
        for (String name : new String[] {"mariadb/../../escaped", "elsewhere/file", "escaped"}) {
            packed(name);
            assertThatThrownBy(() -> archive.unpack(KEY, VERSIONS, target()))
                    .isInstanceOf(Snapshot.Unusable.class)
                    .hasMessageContaining("it holds " + name);
        }
        assertThat(directory.resolve("escaped")).doesNotExist();
    }

    private void packed(String name) throws IOException {
        Path snapshot = Files.createDirectories(directory.resolve("hostile"));
        Path file = snapshot.resolve(name);
        Files.createDirectories(snapshot.resolve("mariadb"));
        Files.createDirectories(file.getParent());
        Files.writeString(file, "hostile");
        var manifest = new SnapshotManifest(
                SnapshotKey.FORMAT, KEY.value(), VERSIONS.id(), Map.of(), Map.of(), new TreeMap<>(Map.of(name, 7L)));
        Files.writeString(snapshot.resolve(SnapshotManifest.FILE), Json.pretty(manifest));
        archive.write(new Snapshot(snapshot, manifest));
        Files.delete(file);
    }

    private RestoreTarget target() throws IOException {
        Path volumes = directory.resolve("volumes");
        return new RestoreTarget(
                Files.createDirectories(volumes.resolve(Snapshot.MARIADB)),
                Files.createDirectories(volumes.resolve(Snapshot.REDIS)));
    }

    private void assertUnusable(String message) {
        assertThatThrownBy(archive::requireSound)
                .isInstanceOf(Snapshot.Unusable.class)
                .hasMessageContaining(message);
    }
}
