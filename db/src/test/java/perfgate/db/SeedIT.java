package perfgate.db;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class SeedIT {
    @TempDir
    private Path directory;

    @Test
    void twoAtOnceSeedOnce() throws Exception {
        List<Launcher> seeds = SharedCache.seeds();

        assertThat(List.of(seeds.get(0).json(0), seeds.get(1).json(0)))
                .extracting(result -> result.get("seeded").asBoolean())
                .containsExactlyInAnyOrder(true, false);
        assertThat(seeds).extracting(Launcher::errors).anyMatch(text -> text.contains("waiting: another process"));
    }

    @Test
    void tellsWhatItDid() throws Exception {
        JsonNode result = seeded().json(0);

        assertThat(result.get("key").asString()).isEqualTo(SharedCache.KEY.value());
        assertThat(result.at("/verify/members/rows").asLong()).isEqualTo(752_703);
        assertThat(result.at("/verify/concert_seats/rows").asLong()).isEqualTo(1_500_000);
        assertThat(result.at("/verify/redis/rows").asLong()).isEqualTo(752_703);
        assertThat(result.get("timingsMs").propertyNames())
                .contains("install", "start", "migrate", "seed", "redis", "verify", "stop", "total");
    }

    @Test
    void saysWhatItFoundUnusable() throws Exception {
        assertThat(seeded().errors())
                .contains("it is half-written: it has no manifest")
                .contains("is removed and seeded again")
                .contains("was left half-written by an earlier seed and is removed")
                .contains(SharedCache.OTHER_VERSION + " is of mariadb-0, format 0");
        assertThat(SharedCache.OTHER_VERSION).exists();
    }

    @Test
    void secondTimeUsesWhatIsThere() throws Exception {
        Launcher again = Launcher.run("seed", "--cache", SharedCache.ready());

        assertThat(again.awaitExit()).isZero();
        assertThat(again.json(0).get("seeded").asBoolean()).isFalse();
    }

    @Test
    void infoTellsKeyAndPresence() throws Exception {
        JsonNode present = Launcher.run("info", "--cache", SharedCache.ready()).json(0);
        JsonNode absent = Launcher.run("info", "--cache", directory).json(0);

        assertThat(present.get("present").asBoolean()).isTrue();
        assertThat(absent.get("present").asBoolean()).isFalse();
        assertThat(absent.get("key")).isEqualTo(present.get("key"));
    }

    @Test
    void truncatedSnapshotIsNotUsed() throws Exception {
        Path cache = SharedCache.withSnapshot(directory.resolve("cache"));
        Path seats = cache.resolve(SharedCache.KEY.value()).resolve("mariadb/perfgate/concert_seats.ibd");
        try (var file = new RandomAccessFile(seats.toFile(), "rw")) {
            file.setLength(file.length() - 1);
        }

        Launcher info = Launcher.run("info", "--cache", cache);

        assertThat(info.json(0).get("present").asBoolean()).isFalse();
        assertThat(info.errors()).contains("it is corrupt: mariadb/perfgate/concert_seats.ibd has");
    }

    @Test
    void verifyPassesOnASoundSnapshot() throws Exception {
        Launcher verify = Launcher.run("verify", "--cache", SharedCache.ready());

        assertThat(verify.awaitExit()).isZero();
        assertThat(verify.output()).contains("members", "752703").doesNotContain("NO");
    }

    @Test
    void verifyNeedsASnapshot() throws Exception {
        Launcher verify = Launcher.run("verify", "--cache", directory);

        assertThat(verify.awaitExit()).isEqualTo(3);
        assertThat(verify.errors()).contains("error[SNAPSHOT_MISSING]", "  next: run seed");
    }

    @Test
    void terminatedHalfWayLeavesNothing() throws Exception {
        Path cache = SharedCache.withoutSnapshot(directory.resolve("cache"));
        Launcher seed = Launcher.start("seed", "--cache", cache);
        seed.awaitError("seed MariaDB and Redis");
        List<ProcessHandle> servers = seed.servers();

        seed.signal("TERM");

        assertThat(seed.awaitExit()).isEqualTo(143);
        assertThat(seed.errors()).doesNotContain("error[");
        assertThat(servers).hasSizeGreaterThanOrEqualTo(2).noneMatch(ProcessHandle::isAlive);
        assertThat(building(cache)).doesNotExist();
    }

    @Test
    void killedHalfWayLeavesNothingRunningAndNothingUsable() throws Exception {
        Path cache = SharedCache.withoutSnapshot(directory.resolve("cache"));
        Launcher seed = Launcher.start("seed", "--cache", cache);
        seed.awaitError("seed MariaDB and Redis");
        List<ProcessHandle> servers = seed.servers();

        seed.signal("KILL");
        seed.awaitExit();

        for (ProcessHandle server : servers) {
            server.onExit().get(10, TimeUnit.SECONDS);
        }
        assertThat(building(cache)).exists();
        assertThat(Launcher.run("info", "--cache", cache).json(0).get("present").asBoolean())
                .isFalse();
    }

    @Test
    void fullDiskIsFoundBeforeSeeding() throws Exception {
        SharedCache.ready();
        try (Tmpfs small = Tmpfs.mount(directory.resolve("small"), "size=64m")) {
            Launcher seed = Launcher.run("seed", "--cache", SharedCache.withoutSnapshot(small.path()));

            assertThat(seed.awaitExit()).isEqualTo(3);
            assertThat(seed.errors()).contains("error[DISK_FULL]", "seeding needs", "  next: free space there");
        }
    }

    @Test
    void diskThatFillsUpWhileSeedingEndsTheSeed() throws Exception {
        SharedCache.ready();
        try (Tmpfs disk = Tmpfs.mount(directory.resolve("disk"), "size=1000m")) {
            Path cache = SharedCache.withoutSnapshot(disk.path());
            Launcher seed = Launcher.start("seed", "--cache", cache);
            seed.awaitError("seed MariaDB and Redis");
            disk.fill(30 << 20);

            assertThat(seed.awaitExit()).isEqualTo(3);
            assertThat(seed.errors()).contains("error[DISK_FULL]", "became full while seeding");
            assertThat(building(cache)).doesNotExist();
            assertThat(cache.resolve(SharedCache.KEY.value())).doesNotExist();
        }
    }

    @Test
    void readOnlyCacheIsToldWhenItHasToBeWritten() throws Exception {
        SharedCache.ready();
        try (Tmpfs disk = Tmpfs.mount(directory.resolve("disk"), "size=1m")) {
            disk.makeReadOnly();

            Launcher seed = Launcher.run("seed", "--cache", disk.path());

            assertThat(seed.awaitExit()).isEqualTo(2);
            assertThat(seed.errors()).contains("error[CACHE_NOT_WRITABLE]", "Read-only file system");
        }
    }

    @Test
    void wrongUseIsTold() throws Exception {
        Launcher seed = Launcher.run("seed");

        assertThat(seed.awaitExit()).isEqualTo(2);
        assertThat(seed.errors()).contains("error[USAGE] command line: Missing required option: '--cache=DIR'");
    }

    private static Launcher seeded() throws InterruptedException {
        for (Launcher seed : SharedCache.seeds()) {
            if (seed.json(0).get("seeded").asBoolean()) {
                return seed;
            }
        }
        throw new AssertionError("neither seeded");
    }

    private static Path building(Path cache) {
        return cache.resolve(SharedCache.KEY + ".building");
    }
}
