package perfgate.db;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.flywaydb.core.Flyway;

/** Makes a snapshot: installs, migrates, seeds and verifies both servers, stops them cleanly, writes the manifest. */
final class Seeder {
    /** Twice the snapshot: what sorting the largest table takes on the way is of its size at most. */
    private static final long NEEDED_BYTES = 900L << 20;

    private static final Duration BULK_BOUND = Duration.ofMinutes(5);
    private static final int FETCH_ROWS = 10_000;
    private static final int KEYS_AT_ONCE = 1_000;

    private static final String FIRST = "00-";
    private static final String MEMBERS = "01-members.sql";
    private static final String LAST = "99-";

    // Kept from collection: the JDK forgets a logger's level with the logger.
    private static final Logger FLYWAY_LOG = Logger.getLogger("org.flywaydb");

    private final CacheDirectory cache;
    private final EngineVersions versions;
    private final SnapshotKey key;
    private final Shutdown shutdown;

    Seeder(CacheDirectory cache, EngineVersions versions, SnapshotKey key, Shutdown shutdown) {
        this.cache = cache;
        this.versions = versions;
        this.key = key;
        this.shutdown = shutdown;
    }

    void seed(Path building, Timings timings) throws IOException, InterruptedException {
        DiskSpace.require(building, NEEDED_BYTES, "seeding");
        seedWithoutAsking(building, timings);
    }

    /** Without asking for free space first: the disk may turn full at any time anyhow. */
    void seedWithoutAsking(Path building, Timings timings) throws IOException, InterruptedException {
        Path data = building.resolve(Snapshot.MARIADB);
        Path redisData = building.resolve(Snapshot.REDIS);
        Path logs = building.resolve("logs");
        DirectoryTree.createPrivate(data);
        DirectoryTree.createPrivate(redisData);
        DirectoryTree.createPrivate(logs);
        Progress.say("seed " + key + ": install");
        Engines engines = timings.time("install", () -> {
            Engines unpacked = Engines.in(cache, versions);
            new Installation(unpacked, data, logs.resolve("install.log")).run(shutdown);
            return unpacked;
        });
        var database = MariaDbServer.toSeed(engines, data, logs.resolve("mariadbd.log"));
        var redis = RedisServer.toSeed(engines, redisData, logs.resolve("redis-server.log"));
        var servers = new ServerGroup(List.of(database, redis));
        try (var _ = shutdown.register(() -> {
                    servers.kill();
                });
                var watch = new DiskWatch(building, servers::kill)) {
            try {
                fill(servers, database, redis, building, timings);
            } catch (IOException | RuntimeException e) {
                throw told(e, watch, database, building);
            }
        }
    }

    private void fill(ServerGroup servers, MariaDbServer database, RedisServer redis, Path building, Timings timings)
            throws IOException, InterruptedException {
        Progress.say("seed " + key + ": start");
        timings.run("start", servers::start);
        Map<String, String> running = servers.versions();
        Progress.say("seed " + key + ": migrate");
        timings.run("migrate", () -> migrate(database));
        Progress.say("seed " + key + ": seed MariaDB and Redis");
        timings.run("seed", () -> bulk(servers, database, redis, timings));
        // Pages that the load left dirty go to disk while they are verified, not at the stop.
        execute(database, "", "SET GLOBAL innodb_max_dirty_pages_pct = 0");
        Progress.say("seed " + key + ": verify");
        Verification verification = timings.time("verify", () -> Verification.of(database, redis));
        if (!verification.passed()) {
            throw new Fault(
                    Fault.Code.VERIFY_FAILED,
                    "db/seed/expected.json",
                    String.join("; ", verification.differences()),
                    "if the seed was changed on purpose, put the new figures there");
        }
        Progress.say("seed " + key + ": stop");
        timings.run("stop", () -> {
            try (RespConnection connection = redis.connect()) {
                connection.call("SAVE");
            }
            servers.stop();
        });
        DirectoryTree.remove(building.resolve("logs"));
        DirectoryTree.remove(building.resolve(MariaDbServer.TEMPORARY));
        var manifest = new SnapshotManifest(
                SnapshotKey.FORMAT,
                key.value(),
                versions.id(),
                running,
                verification.found(),
                Snapshot.files(building));
        Files.writeString(building.resolve(SnapshotManifest.FILE), Json.pretty(manifest));
    }

    private static void migrate(MariaDbServer database) throws IOException {
        execute(database, "", """
                DELETE FROM mysql.global_priv WHERE User IN ('root', '') AND Host <> 'localhost';
                FLUSH PRIVILEGES;
                CREATE DATABASE perfgate CHARACTER SET utf8mb4;
                CREATE USER perfgate@'127.0.0.1' IDENTIFIED BY 'perfgate';
                GRANT ALL PRIVILEGES ON perfgate.* TO perfgate@'127.0.0.1'
                """);
        FLYWAY_LOG.setLevel(Level.WARNING);
        Flyway.configure()
                .dataSource(database.url(MariaDbServer.DATABASE), MariaDbServer.ADMIN, database.adminPassword())
                .locations("classpath:" + SnapshotKey.MIGRATIONS)
                .load()
                .migrate();
    }

    /** Two connections at once, one a core: members and then their Redis keys, beside all other tables. */
    private static void bulk(ServerGroup servers, MariaDbServer database, RedisServer redis, Timings timings)
            throws IOException, InterruptedException {
        List<String> scripts = Resources.names(SnapshotKey.SEED).stream()
                .filter(name -> name.matches("\\d\\d-.*\\.sql"))
                .toList();
        runAll(database, scripts.stream().filter(name -> name.startsWith(FIRST)).toList());
        Callable<Boolean> members = () -> {
            runAll(database, List.of(MEMBERS));
            timings.run("redis", () -> loadMemberKeys(database, redis));
            return true;
        };
        Callable<Boolean> others = () -> {
            runAll(
                    database,
                    scripts.stream()
                            .filter(name -> !name.startsWith(FIRST) && !name.equals(MEMBERS) && !name.startsWith(LAST))
                            .toList());
            return true;
        };
        together(List.of(members, others), BULK_BOUND, servers::kill);
        runAll(database, scripts.stream().filter(name -> name.startsWith(LAST)).toList());
    }

    /** Runs jobs side by side. One that waits for a server heeds no interrupt: past the bound only `release` ends it. */
    static void together(List<Callable<Boolean>> jobs, Duration bound, Runnable release)
            throws IOException, InterruptedException {
        try (var pool = Executors.newFixedThreadPool(jobs.size())) {
            var ended = new ExecutorCompletionService<Boolean>(pool);
            var running = new ArrayList<Future<Boolean>>();
            jobs.forEach(job -> running.add(ended.submit(job)));
            try {
                for (int i = 0; i < jobs.size(); i++) {
                    Future<Boolean> job = ended.poll(bound.toMillis(), TimeUnit.MILLISECONDS);
                    if (job == null) {
                        release.run();
                        throw new IOException("the bulk load did not end within " + bound);
                    }
                    job.get();
                }
            } catch (ExecutionException e) {
                throw new IOException(e.getCause().getMessage(), e.getCause());
            } finally {
                running.forEach(job -> job.cancel(true));
            }
        }
    }

    private static void runAll(MariaDbServer database, List<String> scripts) throws IOException {
        for (String name : scripts) {
            execute(database, MariaDbServer.DATABASE, Resources.text(SnapshotKey.SEED + "/" + name));
        }
    }

    private static void execute(MariaDbServer database, String schema, String sql) throws IOException {
        try (Connection connection = database.connect(schema);
                Statement statement = connection.createStatement()) {
            // Into empty tables, InnoDB then sorts and builds whole indexes at once instead of row by row.
            statement.execute("SET unique_checks = 0, foreign_key_checks = 0");
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** From the members as they are in the database, so that the two cannot disagree. */
    private static void loadMemberKeys(MariaDbServer database, RedisServer redis) throws IOException {
        try (Connection connection = database.connect(MariaDbServer.DATABASE);
                Statement statement = connection.createStatement();
                RespConnection keys = redis.connect()) {
            statement.setFetchSize(FETCH_ROWS);
            try (var members = statement.executeQuery("SELECT id, email FROM members ORDER BY id")) {
                int underWay = 0;
                var batch = new ArrayList<String>(List.of("MSET"));
                while (members.next()) {
                    batch.add("member:key:" + members.getString(2));
                    batch.add(members.getString(1));
                    if (batch.size() > 2 * KEYS_AT_ONCE) {
                        underWay = send(keys, batch, underWay);
                    }
                }
                if (batch.size() > 1) {
                    underWay = send(keys, batch, underWay);
                }
                for (; underWay > 0; underWay--) {
                    keys.reply();
                }
            }
        } catch (SQLException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Keeps two commands under way: Redis works on one while the next is made. */
    private static int send(RespConnection keys, List<String> batch, int underWay) throws IOException {
        keys.send(batch.toArray(String[]::new));
        keys.flush();
        batch.subList(1, batch.size()).clear();
        if (underWay < 2) {
            return underWay + 1;
        }
        keys.reply();
        return underWay;
    }

    /** Turns whatever broke into what happened: a full disk shows in many ways. */
    private static Fault told(Exception e, DiskWatch watch, MariaDbServer database, Path building) {
        if (e instanceof Fault fault) {
            return fault;
        }
        String message = String.valueOf(e.getMessage());
        if (watch.full() || DiskWatch.tellsOfFullDisk(message)) {
            return DiskSpace.full(building, "the disk became full while seeding");
        }
        if (database.process().endedByItself()) {
            if (watch.ranShort()) {
                return DiskSpace.full(building, "the disk became full while seeding");
            }
            return database.process().died(Fault.Code.SERVER_DIED);
        }
        return new Fault(
                Fault.Code.SEED_FAILED,
                "db/seed",
                message,
                "correct the statement that the database names",
                database.process().logTail(),
                e);
    }
}
