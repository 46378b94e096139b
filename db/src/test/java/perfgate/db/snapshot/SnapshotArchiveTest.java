package perfgate.db.snapshot;

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
import perfgate.db.Directories;
import perfgate.db.Fault;
import perfgate.db.seed.Seeder;
import perfgate.db.server.Engines;
import tools.jackson.databind.json.JsonMapper;

class SnapshotArchiveTest {
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
        Snapshot.complete(snapshot, new Seeder.Seeded(Map.of("database", "MariaDB 11.4.5"), Map.of()));
        Path archives = Files.createDirectories(directory.resolve("archives"));
        archive = new SnapshotArchive(archives.resolve(Snapshot.KEY + ".tar.zst"));
        archive.write(Snapshot.open(snapshot));
    }

    @Test
    void bringsBackWhatWentIn() throws Exception {
        assertThat(archive.problem()).isEmpty();

        Snapshot.Manifest manifest = archive.unpack(directories());

        assertThat(manifest.versions()).containsEntry("database", "MariaDB 11.4.5");
        for (String folder : List.of("mariadb", "redis")) {
            Path source = directory.resolve("snapshot").resolve(folder);
            for (String name : Directories.sizes(source).keySet()) {
                assertThat(directory.resolve("volumes").resolve(folder).resolve(name))
                        .hasSameBinaryContentAs(source.resolve(name));
            }
        }
    }

    @Test
    void leavesNoOtherFilesAndCommonToolsCanCheckIt() throws Exception {
        try (var files = Files.list(archive.file().getParent())) {
            assertThat(files).containsExactlyInAnyOrder(archive.file(), checksum());
        }
        assertThat(checksum()).content().matches("[0-9a-f]{64}  " + Snapshot.KEY + "\\.tar\\.zst\n");
    }

    @Test
    void sameSnapshotMakesTheSameArchive() throws Exception {
        byte[] first = Files.readAllBytes(archive.file());

        archive.write(Snapshot.open(directory.resolve("snapshot")));

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
        Files.delete(checksum());
        assertUnusable("it has no checksum");

        Files.writeString(checksum(), "");
        assertUnusable("it is damaged");

        Files.delete(archive.file());
        assertUnusable("it is missing");
    }

    @Test
    void refusesDataWithAnotherKey() throws Exception {
        pack("ffff", "mariadb/ibdata1");

        assertThatThrownBy(() -> archive.unpack(directories()))
                .isInstanceOf(Fault.class)
                .hasMessageContaining("it has key ffff");
    }

    @Test
    void writesNothingOutsideItsTargets() throws Exception {
        for (String name : new String[] {"mariadb/../../escaped", "elsewhere/file", "escaped"}) {
            pack(Snapshot.KEY, name);
            assertThatThrownBy(() -> archive.unpack(directories()))
                    .isInstanceOf(Fault.class)
                    .hasMessageContaining("it holds " + name);
        }
        assertThat(directory.resolve("escaped")).doesNotExist();
    }

    private void pack(String key, String name) throws IOException {
        Path snapshot = Files.createDirectories(directory.resolve("hostile"));
        Path file = snapshot.resolve(name);
        Files.createDirectories(snapshot.resolve("mariadb"));
        Files.createDirectories(file.getParent());
        Files.writeString(file, "hostile");
        var manifest = new Snapshot.Manifest(
                Snapshot.FORMAT, key, Engines.ID, Map.of(), Map.of(), new TreeMap<>(Map.of(name, 7L)));
        JsonMapper.shared().writeValue(snapshot.resolve(Snapshot.Manifest.FILE), manifest);
        archive.write(new Snapshot(snapshot, manifest));
        Files.delete(file);
    }

    private Path checksum() {
        return archive.file().resolveSibling(archive.file().getFileName() + ".sha256");
    }

    private DataDirectories directories() throws IOException {
        Path volumes = directory.resolve("volumes");
        return new DataDirectories(volumes.resolve("mariadb"), volumes.resolve("redis"));
    }

    private void assertUnusable(String message) throws IOException {
        assertThat(archive.problem()).startsWith(message);
    }
}
