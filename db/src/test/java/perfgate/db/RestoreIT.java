package perfgate.db;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class RestoreIT {
    private static final Map<String, String> ENV = Map.of("DB_PASSWORD", "it's a \\ secret");
    private static final Path ARCHIVES = Path.of("target", "it-archives").toAbsolutePath();
    private static final long ARCHIVE_LIMIT_BYTES = 150_000_000;

    @TempDir
    private Path directory;

    @BeforeAll
    static void archiveOnce() throws Exception {
        DirectoryTree.remove(ARCHIVES);
        Launcher archive = Launcher.run("snapshot", "archive", "--cache", SharedCache.ready(), "--archives", ARCHIVES);
        assertThat(archive.awaitExit()).as(archive.errors()).isZero();
        assertThat(archive.json(0).get("rebuilt").asString()).isEqualTo("there is none");
        assertThat(archive.json(0).get("bytes").asLong()).isLessThan(ARCHIVE_LIMIT_BYTES);
    }

    @Test
    void bringsBackTheSnapshotAndTells() throws Exception {
        Launcher restore = restore(ARCHIVES, directory);

        assertThat(restore.awaitExit()).as(restore.errors()).isZero();
        JsonNode told = restore.json(0);
        assertThat(told.get("ready").asBoolean()).isTrue();
        assertThat(told.get("dataKey").asString()).isEqualTo(SharedCache.KEY.value());
        assertThat(told.at("/versions/database").asString()).isEqualTo("MariaDB 11.4.5");
        assertThat(told.get("rebuilt").asString()).isEmpty();
        assertThat(told.get("timingsMs").propertyNames()).containsExactly("check", "seed", "pack", "restore");
        assertThat(restore.errors()).isEmpty();
        Path init = mariaDb(directory).resolve(RestoreTarget.INIT_FILE);
        assertThat(init).content().contains("IDENTIFIED BY 'it''s a \\\\ secret'");
        Files.delete(init);
        Path snapshot = SharedCache.ready().resolve(SharedCache.KEY.value());
        assertThat(DirectoryTree.sizes(mariaDb(directory)))
                .isEqualTo(DirectoryTree.sizes(snapshot.resolve(Snapshot.MARIADB)));
        assertThat(redis(directory).resolve("dump.rdb")).hasSameBinaryContentAs(snapshot.resolve("redis/dump.rdb"));
    }

    @Test
    void replacesWhatIsThere() throws Exception {
        Files.createDirectories(mariaDb(directory).resolve("left"));
        Files.writeString(mariaDb(directory).resolve("left/over"), "by an earlier run");

        assertThat(restore(ARCHIVES, directory).awaitExit()).isZero();

        assertThat(mariaDb(directory).resolve("left")).doesNotExist();
    }

    @Test
    void damagedArchiveIsDroppedAndMadeAnew() throws Exception {
        Path archives = directory.resolve("archives");
        DirectoryTree.copy(ARCHIVES, archives);
        SnapshotArchive archive = SnapshotArchive.of(archives, SharedCache.KEY);
        try (var file = new RandomAccessFile(archive.file().toFile(), "rw")) {
            file.setLength(file.length() / 2);
        }

        Launcher restore = restore(archives, directory);

        assertThat(restore.awaitExit()).as(restore.errors()).isZero();
        assertThat(restore.json(0).get("rebuilt").asString()).startsWith("it is damaged");
        assertThat(restore.errors()).contains("it is damaged", "; it is made anew");
        assertThat(archive.file())
                .hasSameBinaryContentAs(
                        SnapshotArchive.of(ARCHIVES, SharedCache.KEY).file());
        archive.requireSound();
    }

    @Test
    void twoAtOnceMakeTheArchiveOnce() throws Exception {
        Path archives = directory.resolve("archives");
        Launcher first = startRestore(archives, directory.resolve("first"));
        Launcher second = startRestore(archives, directory.resolve("second"));

        assertThat(first.awaitExit()).as(first.errors()).isZero();
        assertThat(second.awaitExit()).as(second.errors()).isZero();
        assertThat(List.of(
                        first.json(0).get("rebuilt").asString(),
                        second.json(0).get("rebuilt").asString()))
                .containsExactlyInAnyOrder("there is none", "");
    }

    @Test
    void tooSmallADiskIsFoundBeforeRestoring() throws Exception {
        try (Tmpfs small = Tmpfs.mount(directory.resolve("small"), "size=64m")) {
            Launcher restore = restore(ARCHIVES, small.path());

            assertFullDisk(restore, "restoring the data needs");
            assertNothingRestored(small.path());
        }
    }

    @Test
    void diskThatFillsUpWhileRestoringLeavesNothing() throws Exception {
        // Room enough for the bytes, but not for all the files: the same answer of the system, at the same file each
        // time.
        try (Tmpfs disk = Tmpfs.mount(directory.resolve("disk"), "size=1500m,nr_inodes=40")) {
            Launcher restore = restore(ARCHIVES, disk.path());

            assertFullDisk(restore, "became full while restoring");
            assertNothingRestored(disk.path());
        }
    }

    @Test
    void terminatedHalfWayLeavesNothing() throws Exception {
        Launcher restore = startRestore(ARCHIVES, directory);
        awaitFile(mariaDb(directory).resolve("ibdata1"));

        restore.signal("TERM");

        assertThat(restore.awaitExit()).isEqualTo(143);
        assertThat(restore.errors()).doesNotContain("error[");
        assertNothingRestored(directory);
    }

    @Test
    void dataOfARunningServerIsSpared() throws Exception {
        Path data = Files.createDirectories(mariaDb(directory)).resolve("ibdata1");
        Files.writeString(data, "in use");
        try (FileChannel channel = FileChannel.open(data, StandardOpenOption.WRITE);
                var _ = channel.lock()) {
            Launcher restore = restore(ARCHIVES, directory);

            assertThat(restore.awaitExit()).isEqualTo(3);
            assertThat(restore.errors()).contains("error[VOLUME_IN_USE]", "docker compose down -v");
        }
        assertThat(data).hasContent("in use");
    }

    @Test
    void passwordIsAskedFor() throws Exception {
        Launcher restore = Launcher.start(Map.of("DB_PASSWORD", ""), arguments(ARCHIVES, directory));

        assertThat(restore.awaitExit()).isEqualTo(2);
        assertThat(restore.json(0).at("/error/code").asString()).isEqualTo("USAGE");
        assertThat(restore.errors()).contains("error[USAGE] DB_PASSWORD");
    }

    private static Launcher restore(Path archives, Path volumes) throws IOException, InterruptedException {
        Launcher restore = startRestore(archives, volumes);
        restore.awaitExit();
        return restore;
    }

    private static Launcher startRestore(Path archives, Path volumes) throws IOException {
        return Launcher.start(ENV, arguments(archives, volumes));
    }

    private static Object[] arguments(Path archives, Path volumes) {
        return new Object[] {
            "snapshot",
            "restore",
            "--cache",
            SharedCache.ready(),
            "--archives",
            archives,
            "--mariadb",
            mariaDb(volumes),
            "--redis",
            redis(volumes)
        };
    }

    private static Path mariaDb(Path volumes) {
        return volumes.resolve("mariadb-volume");
    }

    private static Path redis(Path volumes) {
        return volumes.resolve("redis-volume");
    }

    private static void assertFullDisk(Launcher restore, String message) throws InterruptedException {
        assertThat(restore.awaitExit()).isEqualTo(3);
        assertThat(restore.json(0).get("ready").asBoolean()).isFalse();
        assertThat(restore.json(0).at("/error/code").asString()).isEqualTo("DISK_FULL");
        assertThat(restore.errors()).contains("error[DISK_FULL]", message, "  next: free space there");
    }

    private static void assertNothingRestored(Path volumes) {
        assertThat(mariaDb(volumes)).isEmptyDirectory();
        assertThat(redis(volumes)).isEmptyDirectory();
    }

    private static void awaitFile(Path file) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!Files.exists(file)) {
            assertThat(System.nanoTime()).as("no " + file).isLessThan(deadline);
            Thread.sleep(5);
        }
    }
}
