package perfgate.db.command;

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
import org.apache.commons.io.file.PathUtils;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import perfgate.db.Directories;
import perfgate.db.server.MariaDbServer;
import perfgate.db.snapshot.Snapshot;
import tools.jackson.databind.JsonNode;

class RestoreIT {
    private static final Map<String, String> ENV = Map.of("DB_PASSWORD", "it's a \\ secret");
    private static final Path ARCHIVES = Path.of("target", "it-archives").toAbsolutePath();
    private static final long ARCHIVE_LIMIT_BYTES = 150_000_000;

    @TempDir
    private Path directory;

    @BeforeAll
    static void archiveOnce() throws Exception {
        Directories.remove(ARCHIVES);
        Launcher archive = Launcher.run("snapshot", "archive", "--cache", SharedCache.ready(), "--archives", ARCHIVES);
        assertThat(archive.awaitExit()).as(archive.errors()).isZero();
        assertThat(archive.json(0).get("rebuilt").asString()).isEqualTo("there is none");
        assertThat(archive.json(0).get("bytes").asLong()).isLessThan(ARCHIVE_LIMIT_BYTES);
    }

    @Test
    void restoresTheSnapshotAndReportsIt() throws Exception {
        Launcher restore = restore(ARCHIVES, directory);

        assertThat(restore.awaitExit()).as(restore.errors()).isZero();
        JsonNode ready = restore.json(0);
        assertThat(ready.get("ready").asBoolean()).isTrue();
        assertThat(ready.get("dataKey").asString()).isEqualTo(Snapshot.KEY);
        assertThat(ready.at("/versions/database").asString()).isEqualTo("MariaDB 11.4.5");
        assertThat(ready.get("rebuilt").asString()).isEmpty();
        assertThat(ready.get("timingsMs").propertyNames()).containsExactly("check", "seed", "pack", "restore");
        assertThat(restore.errors()).isEmpty();
        Path init = mariaDb(directory).resolve(MariaDbServer.INIT_FILE);
        assertThat(init).content().contains("IDENTIFIED BY 'it''s a \\\\ secret'");
        Files.delete(init);
        Path snapshot = SharedCache.ready().resolve(Snapshot.KEY);
        assertThat(Directories.sizes(mariaDb(directory))).isEqualTo(Directories.sizes(snapshot.resolve("mariadb")));
        assertThat(redis(directory).resolve("dump.rdb")).hasSameBinaryContentAs(snapshot.resolve("redis/dump.rdb"));
    }

    @Test
    void replacesOldContent() throws Exception {
        Files.createDirectories(mariaDb(directory).resolve("left"));
        Files.writeString(mariaDb(directory).resolve("left/over"), "by an earlier run");

        assertThat(restore(ARCHIVES, directory).awaitExit()).isZero();

        assertThat(mariaDb(directory).resolve("left")).doesNotExist();
    }

    @Test
    void damagedArchiveIsMadeAgain() throws Exception {
        Path archives = directory.resolve("archives");
        PathUtils.copyDirectory(ARCHIVES, archives);
        Path archive = archives.resolve(Snapshot.KEY + ".tar.zst");
        try (var file = new RandomAccessFile(archive.toFile(), "rw")) {
            file.setLength(file.length() / 2);
        }

        Launcher restore = restore(archives, directory);

        assertThat(restore.awaitExit()).as(restore.errors()).isZero();
        assertThat(restore.json(0).get("rebuilt").asString()).startsWith("it is damaged");
        assertThat(restore.errors()).contains("it is damaged", ", so it is made again");
        assertThat(archive).hasSameBinaryContentAs(ARCHIVES.resolve(archive.getFileName()));
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
        // Enough bytes but too few inodes, so that restoring fails at the same file each time.
        try (Tmpfs disk = Tmpfs.mount(directory.resolve("disk"), "size=1500m,nr_inodes=40")) {
            Launcher restore = restore(ARCHIVES, disk.path());

            assertFullDisk(restore, "the disk became full while restoring the data");
            assertNothingRestored(disk.path());
        }
    }

    @Test
    void terminatedHalfWayLeavesNothing() throws Exception {
        Path volumes;
        Launcher restore;
        int attempts = 0;
        do {
            volumes = directory.resolve(Integer.toString(attempts++));
            restore = startRestore(ARCHIVES, volumes);
            awaitFile(mariaDb(volumes).resolve("ibdata1"));

            restore.signal("TERM");
            // On a busy machine it may have ended before the signal came.
        } while (restore.awaitExit() == 0 && attempts < 5);

        assertThat(restore.awaitExit()).isEqualTo(143);
        assertThat(restore.errors()).doesNotContain("error[");
        assertNothingRestored(volumes);
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
    void passwordIsRequired() throws Exception {
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
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
        while (!Files.exists(file)) {
            assertThat(System.nanoTime()).as("no " + file).isLessThan(deadline);
            Thread.sleep(5);
        }
    }
}
