package perfgate.db;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** mariadbd on one data directory. */
final class MariaDbServer implements Server {
    static final String NAME = "mariadbd";
    static final String DATABASE = "perfgate";

    /** Beside the data directory, so that sorting fills no other disk than the one asked for. */
    static final String TEMPORARY = "tmp";

    static final String ADMIN = "perfgate_admin";

    private static final String INIT_FILE = "perf-gate-init.sql";
    private static final Duration START_BOUND = Duration.ofSeconds(60);
    private static final Duration WARM_BOUND = Duration.ofSeconds(20);
    private static final int POLL_MILLIS = 15;

    /** Held by every server, whatever it is for. */
    private static final List<String> COMMON = List.of(
            "--bind-address=" + LoopbackPorts.HOST,
            // Relative to the data directory: a socket's whole path may have 107 bytes only.
            "--socket=mariadbd.sock",
            "--init-file=" + INIT_FILE,
            // Else 11.4 makes itself a 4,096 bit key at each start, which took 10 s.
            "--skip-ssl",
            "--skip-log-bin",
            "--skip-name-resolve",
            "--slow-query-log=OFF",
            "--performance-schema=OFF",
            "--character-set-server=utf8mb4",
            "--default-time-zone=+00:00",
            // Files go through the page cache: a fresh copy of the data is already there, and reading it past the
            // cache would have to wait for the disk first.
            "--innodb-flush-method=fsync",
            // The data can be made again, so a page torn by a power cut costs nothing.
            "--innodb-doublewrite=OFF");

    /** What the server is for. */
    enum Purpose {
        SEED(List.of(
                "--innodb-buffer-pool-size=1G",
                // Small, for it goes with every copy though it holds nothing after a clean stop; seeding was measured
                // to be no faster with a larger one.
                "--innodb-log-file-size=32M",
                "--innodb-log-buffer-size=16M",
                "--innodb-flush-log-at-trx-commit=0",
                // The whole list of pages is kept, so that a restored server starts with them all in memory.
                "--innodb-buffer-pool-dump-pct=100",
                // Purge and merge all before the end: a restored server must not have clean-up of the seed to do.
                "--innodb-fast-shutdown=0")),
        SERVE(List.of(
                "--max-connections=300",
                // Holds all the data, 3 times over.
                "--innodb-buffer-pool-size=1G",
                "--innodb-log-file-size=256M",
                // Commits reach the operating system at once and the disk once a second. With 1, every commit waits
                // for the disk, and a shared runner's disk would be measured instead of the service.
                "--innodb-flush-log-at-trx-commit=2",
                // Statistics stay as seeded: plans must not change in the middle of a measurement.
                "--innodb-stats-auto-recalc=OFF",
                "--log-queries-not-using-indexes=OFF",
                "--userstat=OFF",
                // The data is thrown away after the stop, so nothing is flushed or kept for later.
                "--innodb-fast-shutdown=2",
                "--innodb-buffer-pool-dump-at-shutdown=OFF"));

        private final List<String> arguments;

        Purpose(List<String> arguments) {
            this.arguments = arguments;
        }
    }

    private final Engines engines;
    private final Purpose purpose;
    private final Path data;
    private final Path log;
    private final int port;
    private final String adminPassword;
    private volatile @Nullable ServerProcess process;

    private MariaDbServer(Engines engines, Purpose purpose, Path data, Path log, int port) {
        this.engines = engines;
        this.purpose = purpose;
        this.data = data;
        this.log = log;
        this.port = port;
        this.adminPassword = UUID.randomUUID().toString();
    }

    /** What a server that is measured runs with, wherever its files are. The compose file repeats it. */
    static List<String> servingOptions() {
        var options = new ArrayList<>(COMMON);
        options.addAll(Purpose.SERVE.arguments);
        return options;
    }

    static MariaDbServer toSeed(Engines engines, Path data, Path log) {
        return new MariaDbServer(engines, Purpose.SEED, data, log, LoopbackPorts.anyFree());
    }

    static MariaDbServer toServe(Engines engines, Path data, Path log, int port) {
        return new MariaDbServer(engines, Purpose.SERVE, data, log, port);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String role() {
        return "database";
    }

    @Override
    public void start() throws IOException, InterruptedException {
        var arguments = new ArrayList<>(List.of(
                "--no-defaults",
                "--basedir=" + engines.mariaDb(),
                "--datadir=" + data,
                "--tmpdir=" + Files.createDirectories(data.resolveSibling(TEMPORARY)),
                "--pid-file=mariadbd.pid"));
        arguments.addAll(runAs());
        arguments.addAll(COMMON);
        arguments.addAll(purpose.arguments);
        arguments.add("--port=" + port);
        writeInitFile();
        ServerProcess started = ServerProcess.start(NAME, engines.mariaDbServer(), arguments, data, log);
        process = started;
        long deadline = System.nanoTime() + START_BOUND.toNanos();
        while (!answers()) {
            if (!started.alive() || System.nanoTime() > deadline) {
                started.kill();
                throw started.died(Fault.Code.SERVER_START_FAILED);
            }
            Thread.sleep(POLL_MILLIS);
        }
        Files.delete(data.resolve(INIT_FILE));
        awaitWarm();
    }

    /** mariadbd refuses to run as root unless told that it is meant; for anybody else the option means nothing. */
    static List<String> runAs() {
        return System.getProperty("user.name").equals("root") ? List.of("--user=root") : List.of();
    }

    /** The pages named by the snapshot are read in the background: a measurement must not begin in the middle. */
    private void awaitWarm() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + WARM_BOUND.toNanos();
        try (Connection connection = connect("");
                var statement = connection.createStatement()) {
            while (!loaded(statement)) {
                if (System.nanoTime() > deadline) {
                    Progress.say(NAME + " has not read its pages within " + WARM_BOUND.toSeconds() + " s");
                    return;
                }
                Thread.sleep(POLL_MILLIS);
            }
        } catch (SQLException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static boolean loaded(Statement statement) throws SQLException {
        try (var row = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_load_status'")) {
            return row.next() && row.getString(2).contains("completed");
        }
    }

    /**
     * This launcher's own user gets a new password at each start: others on the machine cannot use it, and an answer
     * to it can only come from this very server. mariadbd runs the file before it takes connections.
     */
    private void writeInitFile() throws IOException {
        Files.writeString(data.resolve(INIT_FILE), """
                CREATE OR REPLACE USER %s@'%s' IDENTIFIED BY '%s';
                GRANT ALL PRIVILEGES ON *.* TO %s@'%s' WITH GRANT OPTION;
                """.formatted(
                        ADMIN, LoopbackPorts.HOST, adminPassword, ADMIN, LoopbackPorts.HOST));
    }

    String adminPassword() {
        return adminPassword;
    }

    private boolean answers() {
        try (Connection connection = connect("")) {
            return connection.isValid(1);
        } catch (SQLException e) {
            return false;
        }
    }

    /** As this launcher's own user. */
    Connection connect(String database) throws SQLException {
        return DriverManager.getConnection(url(database), ADMIN, adminPassword);
    }

    String url(String database) {
        return "jdbc:mariadb://%s:%d/%s?allowMultiQueries=true".formatted(LoopbackPorts.HOST, port, database);
    }

    @Override
    public ServerProcess process() {
        ServerProcess started = process;
        if (started == null) {
            throw new IllegalStateException(NAME + " was not started");
        }
        return started;
    }

    @Override
    public String version() throws IOException {
        try (Connection connection = connect("");
                var statement = connection.createStatement();
                var result = statement.executeQuery("SELECT VERSION()")) {
            result.next();
            return "MariaDB " + result.getString(1).replaceFirst("-.*", "");
        } catch (SQLException e) {
            throw new IOException(e);
        }
    }

    @Override
    public void stop() {
        ServerProcess started = process;
        if (started != null) {
            started.stop();
        }
    }

    @Override
    public void kill() {
        ServerProcess started = process;
        if (started != null) {
            started.kill();
        }
    }
}
