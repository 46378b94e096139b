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

    private static final Duration INSTALL_BOUND = Duration.ofMinutes(1);

    private final List<String> options;
    private final int port = Ports.anyFree();

    /**
     * The launcher's own user gets a new password for each server, so that other users of the machine cannot use it,
     * and only this very server accepts it.
     */
    private final String adminPassword = UUID.randomUUID().toString();

    private MariaDbServer(List<String> options, Path parent, Path logs) {
        super(NAME, "database", parent.resolve("mariadb"), logs);
        this.options = new ArrayList<>(options);
    }

    public static MariaDbServer toSeed(Path parent, Path logs) {
        return new MariaDbServer(options("mariadbd-seed.options"), parent, logs);
    }

    public static MariaDbServer toServe(Path parent, Path logs) {
        return new MariaDbServer(options("mariadbd-serve.options"), parent, logs);
    }

    /** For data that grows from nothing: statistics that are never taken again would call every table empty. */
    public static MariaDbServer toFill(Path parent, Path logs) {
        var options = new ArrayList<>(options("mariadbd-serve.options"));
        options.add("--innodb-stats-auto-recalc=ON");
        return new MariaDbServer(options, parent, logs);
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
                .flatMap(name -> Resources.settings(name).lines())
                .filter(line -> line.startsWith("--"))
                .toList();
    }

    /** Runs MariaDB's own installation of its system tables in an empty data directory. */
    public void install(Shutdown shutdown) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(program(
                        "scripts/mariadb-install-db",
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
        try (Connection connection = connect("");
                var statement = connection.createStatement()) {
            statement.execute("""
                    DELETE FROM mysql.global_priv WHERE User IN ('root', '') AND Host <> 'localhost';
                    FLUSH PRIVILEGES;
                    CREATE DATABASE perfgate CHARACTER SET utf8mb4;
                    CREATE USER perfgate@'127.0.0.1' IDENTIFIED BY 'perfgate';
                    GRANT ALL PRIVILEGES ON %s TO perfgate@'127.0.0.1'
                    """.formatted(rightsOn));
        } catch (SQLException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private List<String> program(String name, List<String> further) {
        Path home = Engines.installed("engines").resolve("mariadb");
        var command = new ArrayList<>(List.of(
                home.resolve(name).toString(), "--no-defaults", "--basedir=" + home, "--datadir=" + directory()));
        if (System.getProperty("user.name").equals("root")) {
            // mariadbd refuses to run as root without this option.
            command.add("--user=root");
        }
        command.addAll(further);
        return command;
    }

    @Override
    List<String> command() throws IOException {
        Files.writeString(directory().resolve(INIT_FILE), """
                CREATE OR REPLACE USER %1$s@'%2$s' IDENTIFIED BY '%3$s';
                GRANT ALL PRIVILEGES ON *.* TO %1$s@'%2$s' WITH GRANT OPTION;
                """.formatted(ADMIN, Ports.HOST, adminPassword));
        var further = new ArrayList<>(options);
        further.add("--tmpdir=" + Files.createDirectories(directory().resolveSibling(TEMPORARY)));
        further.add("--port=" + port);
        return program("bin/mariadbd", further);
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
