package perfgate.db.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import perfgate.db.Disk;
import perfgate.db.Fault;
import perfgate.db.Resources;
import perfgate.db.Shutdown;

/** mariadbd on one data directory. */
public final class MariaDbServer extends Server {
    public static final String NAME = "mariadbd";
    public static final String DATABASE = "perfgate";
    private static final String ADMIN = "perfgate_admin";

    /** Next to the data directory, so that sorting fills no disk that the caller did not name. */
    public static final String TEMPORARY = "tmp";

    /** mariadbd runs this file of its data directory before it takes connections, and does not start without it. */
    public static final String INIT_FILE = "perf-gate-init.sql";

    /** A process is known by its program's name, of which Linux keeps 15 characters. */
    private static final String REPLICA_NAME = "mariadb-replica";

    private static final Duration INSTALL_BOUND = Duration.ofMinutes(5);
    private static final Duration CATCH_UP_BOUND = Duration.ofMinutes(1);

    private final List<String> options;
    private final int port = Ports.anyFree();

    /**
     * The launcher's own user gets a new password for each server, so that other users of the machine cannot use it,
     * and only this very server accepts it.
     */
    private final String adminPassword = UUID.randomUUID().toString();

    private MariaDbServer(String name, String role, List<String> options, Path parent, Path logs) {
        super(name, role, parent.resolve("mariadb"), logs);
        this.options = new ArrayList<>(options);
    }

    private static MariaDbServer database(List<String> options, Path parent, Path logs) {
        return new MariaDbServer(NAME, "database", options, parent, logs);
    }

    public static MariaDbServer toSeed(Path parent, Path logs) {
        return database(options("mariadbd-seed.options"), parent, logs);
    }

    /**
     * @param empty for data that grows from nothing: statistics that are never taken again would call every table empty
     * @param replicated with the binary log that a replica reads
     * @param further after all others, so that they replace them
     */
    public static MariaDbServer toServe(
            boolean empty, boolean replicated, List<String> further, Path parent, Path logs) {
        var options = new ArrayList<>(options("mariadbd-serve.options"));
        if (empty) {
            options.add("--innodb-stats-auto-recalc=ON");
        }
        if (replicated) {
            options.addAll(further("mariadbd-primary.options"));
        }
        options.addAll(further);
        return database(options, parent, logs);
    }

    /** A server that is to follow this one. Its data has to be a copy of this one's. */
    public MariaDbServer replica(Path parent, Path logs) {
        var further = new ArrayList<>(options);
        further.addAll(further("mariadbd-replica.options"));
        return new MariaDbServer(REPLICA_NAME, "replica", further, parent, logs);
    }

    /** From the next start on. */
    void writeSlowLog(Path file) {
        options.add("--slow-query-log=ON");
        options.add("--slow-query-log-file=" + file);
    }

    /** Opens the file of the slow log anew, after somebody moved it. */
    void reopenSlowLog() throws SQLException {
        try (Connection connection = connect("");
                var statement = connection.createStatement()) {
            statement.execute("FLUSH SLOW LOGS");
        }
    }

    /** The options for every purpose and those of a file. */
    static List<String> options(String file) {
        return Stream.of("mariadbd.options", file)
                .flatMap(name -> further(name).stream())
                .toList();
    }

    private static List<String> further(String file) {
        return Resources.settings(file)
                .lines()
                .filter(line -> line.startsWith("--"))
                .toList();
    }

    /** Runs MariaDB's own installation of its system tables in an empty data directory. */
    public void install(Shutdown shutdown) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(program(
                        home().resolve("scripts/mariadb-install-db"),
                        List.of("--auth-root-authentication-method=normal", "--skip-name-resolve", "--skip-test-db")))
                .redirectErrorStream(true)
                .redirectOutput(log().toFile())
                .start();
        try (var _ = shutdown.register(() -> {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        })) {
            boolean ended = process.waitFor(INSTALL_BOUND.toSeconds(), TimeUnit.SECONDS);
            if (!ended || process.exitValue() != 0) {
                List<String> lines = Files.readAllLines(log());
                if (Disk.reportsFull(lines.toString())) {
                    throw Disk.full(directory(), "the disk became full while installing MariaDB");
                }
                String cause = ended ? "it ended with status " + process.exitValue() : "it did not end";
                String next = "read its log lines; install a missing library with the system's package manager";
                throw new Fault(Fault.Code.INSTALL_FAILED, "mariadb-install-db", cause, next).withLog(lines);
            }
        }
    }

    /** Creates the service's database, and its account with all rights on what is named. */
    public void createDatabase(String rightsOn) throws IOException {
        execute("""
                DELETE FROM mysql.global_priv WHERE User IN ('root', '') AND Host <> 'localhost';
                FLUSH PRIVILEGES;
                CREATE DATABASE perfgate CHARACTER SET utf8mb4;
                CREATE USER perfgate@'127.0.0.1' IDENTIFIED BY 'perfgate';
                GRANT ALL PRIVILEGES ON %s TO perfgate@'127.0.0.1';
                REVOKE READ ONLY ADMIN ON *.* FROM perfgate@'127.0.0.1'
                """.formatted(rightsOn));
    }

    /** Makes this server a replica of another one whose data it holds a copy of, and returns once it has caught up. */
    public void follow(MariaDbServer primary) throws IOException {
        String password = UUID.randomUUID().toString();
        primary.execute("""
                CREATE USER replica@'%1$s' IDENTIFIED BY '%2$s';
                GRANT REPLICATION SLAVE ON *.* TO replica@'%1$s'
                """.formatted(Ports.HOST, password));
        execute("""
                CHANGE MASTER TO MASTER_HOST = '%s', MASTER_PORT = %d, MASTER_USER = 'replica', MASTER_PASSWORD = '%s',
                    MASTER_USE_GTID = slave_pos, MASTER_CONNECT_RETRY = 1, MASTER_SSL = 0;
                START SLAVE
                """.formatted(Ports.HOST, primary.port, password));
        String position = primary.query("SELECT @@gtid_binlog_pos", 1);
        String wait = "SELECT MASTER_GTID_WAIT('%s', %d)".formatted(position, CATCH_UP_BOUND.toSeconds());
        if (!query(wait, 1).equals("0")) {
            String cause = "it did not catch up with its primary within " + CATCH_UP_BOUND.toSeconds() + " s";
            throw new Fault(Fault.Code.SERVER_START_FAILED, REPLICA_NAME, cause, "read its log lines")
                    .withLog(logTail());
        }
    }

    private List<String> program(Path program, List<String> further) {
        var command = new ArrayList<>(
                List.of(program.toString(), "--no-defaults", "--basedir=" + home(), "--datadir=" + directory()));
        if (System.getProperty("user.name").equals("root")) {
            // mariadbd refuses to run as root without this option.
            command.add("--user=root");
        }
        command.addAll(further);
        return command;
    }

    @Override
    List<String> command() throws IOException {
        // Each server has a password of its own, so this must not reach a replica.
        Files.writeString(directory().resolve(INIT_FILE), """
                SET sql_log_bin = 0;
                CREATE OR REPLACE USER %1$s@'%2$s' IDENTIFIED BY '%3$s';
                GRANT ALL PRIVILEGES ON *.* TO %1$s@'%2$s' WITH GRANT OPTION;
                """.formatted(ADMIN, Ports.HOST, adminPassword));
        var further = new ArrayList<>(options);
        further.add("--tmpdir=" + Files.createDirectories(directory().resolveSibling(TEMPORARY)));
        further.add("--port=" + port);
        return program(namedProgram(), further);
    }

    /** The processes of a primary and its replica differ in their names only. */
    private Path namedProgram() throws IOException {
        Path program = home().resolve("bin").resolve(NAME);
        if (name().equals(NAME)) {
            return program;
        }
        Path link = directory().resolveSibling(name());
        Files.deleteIfExists(link);
        return Files.createSymbolicLink(link, program);
    }

    private static Path home() {
        return Engines.installed("engines").resolve("mariadb");
    }

    @Override
    void start() throws IOException, InterruptedException {
        super.start();
        Files.delete(directory().resolve(INIT_FILE));
    }

    /** It reads the pages that the snapshot names in the background, and a measurement must not begin before the end. */
    @Override
    boolean answers(long pid) {
        try {
            return query("SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_load_status'", 2)
                    .contains("completed");
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    String version() throws IOException {
        return "MariaDB " + query("SELECT VERSION()", 1).replaceFirst("-.*", "");
    }

    private void execute(String sql) throws IOException {
        try (Connection connection = connect("");
                var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private String query(String sql, int column) throws IOException {
        try (Connection connection = connect("");
                var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(column);
        } catch (SQLException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    public Connection connect(String database) throws SQLException {
        return DriverManager.getConnection(url(database));
    }

    /** With the launcher's own user. */
    public String url(String database) {
        return "jdbc:mariadb://%s:%d/%s?user=%s&password=%s&allowMultiQueries=true"
                .formatted(Ports.HOST, port, database, ADMIN, adminPassword);
    }

    public int port() {
        return port;
    }
}
