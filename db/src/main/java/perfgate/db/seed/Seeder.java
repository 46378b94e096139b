package perfgate.db.seed;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.flywaydb.core.Flyway;
import perfgate.db.Directories;
import perfgate.db.Disk;
import perfgate.db.Fault;
import perfgate.db.Parallel;
import perfgate.db.Resources;
import perfgate.db.Shutdown;
import perfgate.db.server.MariaDbServer;
import perfgate.db.server.RedisServer;
import perfgate.db.server.Server;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** Fills one directory: installs, migrates, seeds and verifies both servers, then stops them cleanly. */
public final class Seeder {
    /** Twice the data, because sorting the largest table takes at most its own size. */
    private static final long NEEDED_BYTES = 900L << 20;

    private static final Duration BULK_BOUND = Duration.ofMinutes(5);
    private static final int KEYS_PER_COMMAND = 1_000;

    /** The class of an SQLSTATE. */
    private static final String CONNECTION_EXCEPTION = "08";

    // A static reference, because the JDK may collect a logger together with its level.
    private static final Logger FLYWAY_LOG = Logger.getLogger("org.flywaydb");

    /** What was seeded: the versions that the servers reported, and what they hold by table. */
    public record Seeded(Map<String, String> versions, Map<String, Verification.Table> verify) {}

    private final Path directory;
    private final MariaDbServer database;
    private final RedisServer redis;
    private final List<Server> servers;

    private Seeder(Path directory) throws IOException {
        this.directory = directory;
        Path logs = Directories.createPrivate(directory.resolve("logs"));
        this.database = MariaDbServer.toSeed(directory, logs);
        this.redis = new RedisServer(directory, logs);
        this.servers = List.of(database, redis);
    }

    /** Fills a directory that is empty and private. */
    public static Seeded seed(Path directory, Shutdown shutdown) throws IOException, InterruptedException {
        Disk.require(directory, NEEDED_BYTES, "seeding");
        var seeder = new Seeder(directory);
        for (Server server : seeder.servers) {
            Files.createDirectory(server.directory());
        }
        Shutdown.note("seed: install");
        seeder.database.install(shutdown);
        try (var _ = shutdown.register(seeder::kill);
                var disk = new Disk(directory, seeder::kill)) {
            try {
                return seeder.fill();
            } catch (IOException | RuntimeException e) {
                throw seeder.cause(e, disk);
            }
        }
    }

    private void kill() {
        servers.forEach(Server::kill);
    }

    private Seeded fill() throws IOException, InterruptedException {
        Server.startAll(servers);
        Map<String, String> versions = Server.versions(servers);
        migrate();
        Shutdown.note("seed: load");
        load();
        // Pages that the load left dirty go to disk during the verification, not at the stop.
        execute("", "SET GLOBAL innodb_max_dirty_pages_pct = 0");
        Shutdown.note("seed: verify");
        Verification verification = Verification.of(database, redis);
        if (!verification.passed()) {
            String cause = "the servers hold other data than it expects";
            String next = "if you changed the seed on purpose, put the new figures there";
            throw new Fault(Fault.Code.VERIFY_FAILED, "db/seed/expected.json", cause, next)
                    .withLog(verification.lines());
        }
        try (Jedis client = redis.connect()) {
            client.save();
        }
        Server.stopAll(servers);
        Directories.remove(directory.resolve("logs"));
        Directories.remove(directory.resolve(MariaDbServer.TEMPORARY));
        return new Seeded(versions, verification.found());
    }

    private void migrate() throws IOException {
        database.createDatabase("perfgate.*");
        FLYWAY_LOG.setLevel(Level.WARNING);
        Flyway.configure()
                .dataSource(database.url(MariaDbServer.DATABASE), null, null)
                .locations("classpath:" + Resources.MIGRATIONS)
                .load()
                .migrate();
    }

    /** Two connections keep two cores busy: one loads the members and then their Redis keys, the other all else. */
    private void load() throws IOException, InterruptedException {
        Map<String, byte[]> scripts = Resources.folder(Resources.SEED);
        run(scripts, "00-.*");
        Parallel.run(
                BULK_BOUND,
                this::kill,
                List.of(
                        () -> {
                            run(scripts, "01-members.sql");
                            loadMemberKeys();
                        },
                        () -> run(scripts, "(?!00|01|99)\\d\\d-.*")));
        run(scripts, "99-.*");
    }

    private void run(Map<String, byte[]> scripts, String names) throws IOException {
        for (Map.Entry<String, byte[]> script : scripts.entrySet()) {
            if (script.getKey().matches(names)) {
                execute(MariaDbServer.DATABASE, new String(script.getValue(), StandardCharsets.UTF_8));
            }
        }
    }

    private void execute(String schema, String sql) throws IOException {
        try (Connection connection = database.connect(schema);
                Statement statement = connection.createStatement()) {
            // Into empty tables, InnoDB then sorts and builds whole indexes at once instead of row by row.
            statement.execute("SET unique_checks = 0, foreign_key_checks = 0");
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Reads the members from the database, so that the two cannot disagree. */
    private void loadMemberKeys() throws IOException {
        try (Connection connection = database.connect(MariaDbServer.DATABASE);
                Statement statement = connection.createStatement();
                Jedis keys = redis.connect()) {
            statement.setFetchSize(10 * KEYS_PER_COMMAND);
            try (var members = statement.executeQuery("SELECT id, email FROM members ORDER BY id")) {
                var pairs = new ArrayList<String>();
                boolean more = members.next();
                while (more) {
                    pairs.add("member:key:" + members.getString(2));
                    pairs.add(members.getString(1));
                    more = members.next();
                    if (!more || pairs.size() == 2 * KEYS_PER_COMMAND) {
                        keys.mset(pairs.toArray(String[]::new));
                        pairs.clear();
                    }
                }
            }
        } catch (SQLException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** A full disk shows in many ways, so this looks for it before any other cause. */
    private Fault cause(Exception e, Disk disk) {
        if (e instanceof Fault fault) {
            return fault;
        }
        String message = String.valueOf(e.getMessage());
        Optional<Server> lost = lostServer(e);
        if (disk.full() || Disk.reportsFull(message) || (lost.isPresent() && disk.wasScarce())) {
            return Disk.full(directory, "the disk became full while seeding");
        }
        return lost.map(server -> server.died(Fault.Code.SERVER_DIED))
                .orElseGet(() -> new Fault(
                                Fault.Code.SEED_FAILED,
                                "db/seed",
                                message,
                                "correct the statement that the database names")
                        .withLog(database.logTail()));
    }

    /** The server whose connection broke. Its process says nothing by now: a failed job has killed all of them. */
    private Optional<Server> lostServer(Exception e) {
        if (e.getCause() instanceof SQLException failed
                && String.valueOf(failed.getSQLState()).startsWith(CONNECTION_EXCEPTION)) {
            return Optional.of(database);
        }
        return e instanceof JedisConnectionException ? Optional.of(redis) : Optional.empty();
    }
}
