package perfgate.db.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import perfgate.db.snapshot.Snapshot;
import tools.jackson.databind.JsonNode;

class SeedIT {
    @TempDir
    private Path directory;

    @Test
    void twoAtOnceSeedOnce() throws Exception {
        List<Launcher> seeds = SharedCache.seeds();

        assertThat(List.of(seeds.get(0).json(0), seeds.get(1).json(0)))
                .extracting(result -> result.get("seedMillis").asLong() > 0)
                .containsExactlyInAnyOrder(true, false);
        assertThat(seeds).extracting(Launcher::errors).anyMatch(text -> text.contains("waiting: another process"));
    }

    @Test
    void printsWhatItSeeded() throws Exception {
        JsonNode result = seeded().json(0);

        assertThat(result.get("key").asString()).isEqualTo(Snapshot.KEY);
        assertThat(result.at("/verify/members/rows").asLong()).isEqualTo(752_703);
        assertThat(result.at("/verify/concert_seats/rows").asLong()).isEqualTo(1_500_000);
        assertThat(result.at("/verify/redis/rows").asLong()).isEqualTo(752_703);
    }

    @Test
    void keepsNoConfigurationOfRedis() throws Exception {
        seeded();

        assertThat(SharedCache.PATH.resolve(Snapshot.KEY).resolve("redis")).isDirectoryNotContaining("glob:**.conf");
    }

    @Test
    void namesWhatItCannotUse() throws Exception {
        assertThat(seeded().errors())
                .contains("it is half-written: it has no manifest")
                .contains(Snapshot.KEY + " is incomplete, so it is removed and seeded again")
                .contains(Snapshot.KEY + ".building is incomplete, so it is removed and seeded again")
                .contains(SharedCache.OTHER_VERSION + " has another key and is not used");
        assertThat(SharedCache.OTHER_VERSION).exists();
    }

    @Test
    void secondRunUsesTheSnapshot() throws Exception {
        Launcher again = Launcher.run("seed", "--cache", SharedCache.ready());

        assertThat(again.awaitExit()).isZero();
        assertThat(again.json(0).get("seedMillis").asLong()).isZero();
    }

    @Test
    void infoPrintsKeyAndPresence() throws Exception {
        JsonNode present = Launcher.run("info", "--cache", SharedCache.ready()).json(0);
        JsonNode absent = Launcher.run("info", "--cache", directory).json(0);

        assertThat(present.get("present").asBoolean()).isTrue();
        assertThat(absent.get("present").asBoolean()).isFalse();
        assertThat(absent.get("key")).isEqualTo(present.get("key"));
    }

    @Test
    void truncatedSnapshotIsNotUsed() throws Exception {
        Path cache = SharedCache.copyTo(directory.resolve("cache"));
        Path seats = cache.resolve(Snapshot.KEY).resolve("mariadb/perfgate/concert_seats.ibd");
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
        Path cache = directory.resolve("cache");
        Launcher seed = Launcher.start("seed", "--cache", cache);
        seed.awaitError("seed: load");
        List<ProcessHandle> servers = seed.servers();

        seed.signal("TERM");

        assertThat(seed.awaitExit()).isEqualTo(143);
        assertThat(seed.errors()).doesNotContain("error[");
        assertThat(servers).hasSizeGreaterThanOrEqualTo(2).noneMatch(ProcessHandle::isAlive);
        assertThat(building(cache)).doesNotExist();
    }

    @Test
    void killedHalfWayLeavesNothingRunningAndNothingUsable() throws Exception {
        Path cache = directory.resolve("cache");
        Launcher seed = Launcher.start("seed", "--cache", cache);
        seed.awaitError("seed: load");
        List<ProcessHandle> servers = seed.servers();

        seed.signal("KILL");
        seed.awaitExit();

        for (ProcessHandle server : servers) {
            server.onExit().get(60, TimeUnit.SECONDS);
        }
        assertThat(building(cache)).exists();
        assertThat(Launcher.run("info", "--cache", cache).json(0).get("present").asBoolean())
                .isFalse();
    }

    @Test
    void fullDiskIsFoundBeforeSeeding() throws Exception {
        try (Tmpfs small = Tmpfs.mount(directory.resolve("small"), "size=64m")) {
            Launcher seed = Launcher.run("seed", "--cache", small.path());

            assertThat(seed.awaitExit()).isEqualTo(3);
            assertThat(seed.errors()).contains("error[DISK_FULL]", "seeding needs", "  next: free space there");
        }
    }

    @Test
    void diskThatFillsUpWhileSeedingEndsTheSeed() throws Exception {
        try (Tmpfs disk = Tmpfs.mount(directory.resolve("disk"), "size=1000m")) {
            Path cache = disk.path();
            Launcher seed = Launcher.start("seed", "--cache", cache);
            seed.awaitError("seed: load");
            disk.fill(30 << 20);

            assertThat(seed.awaitExit()).isEqualTo(3);
            assertThat(seed.errors()).contains("error[DISK_FULL]", "became full while seeding");
            assertThat(building(cache)).doesNotExist();
            assertThat(cache.resolve(Snapshot.KEY)).doesNotExist();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"mariadbd", "redis-server"})
    void serverThatDiesWhileSeedingIsNamed(String name) throws Exception {
        Path cache = directory.resolve("cache");
        Launcher seed = Launcher.start("seed", "--cache", cache);
        seed.awaitError("seed: load");
        ProcessHandle server = seed.servers().stream()
                .filter(process -> process.info().command().orElse("").endsWith("/" + name))
                .findAny()
                .orElseThrow();

        server.destroyForcibly();

        assertThat(seed.awaitExit()).isEqualTo(3);
        assertThat(seed.errors()).contains("error[SERVER_DIED] " + name);
        assertThat(building(cache)).doesNotExist();
    }

    @Test
    void readOnlyCacheIsReportedWhenSeedingNeedsToWrite() throws Exception {
        try (Tmpfs disk = Tmpfs.mount(directory.resolve("disk"), "size=1m")) {
            disk.makeReadOnly();

            Launcher seed = Launcher.run("seed", "--cache", disk.path());

            assertThat(seed.awaitExit()).isEqualTo(2);
            assertThat(seed.errors()).contains("error[CACHE_NOT_WRITABLE]", "Read-only file system");
        }
    }

    @Test
    void wrongUseIsReported() throws Exception {
        Launcher seed = Launcher.run("seed");

        assertThat(seed.awaitExit()).isEqualTo(2);
        assertThat(seed.errors()).contains("error[USAGE] command line: Missing required option: '--cache=DIR'");
    }

    private static Launcher seeded() throws InterruptedException {
        for (Launcher seed : SharedCache.seeds()) {
            if (seed.json(0).get("seedMillis").asLong() > 0) {
                return seed;
            }
        }
        throw new AssertionError("neither seeded");
    }

    private static Path building(Path cache) {
        return cache.resolve(Snapshot.KEY + ".building");
    }
}
