package perfgate.app;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A real database, Redis and Kafka, which start empty, once per JVM, and end with it. The launcher in db/ serves them, as
 * it does for the gate. With -Ddatabase=mysql the database is MySQL in a container instead.
 */
public final class Services {

    /** A server that tests take away. The launcher calls it by the name in lower case. */
    public enum Server {
        DATABASE,
        REDIS,
        KAFKA,
        REPLICA
    }

    private static final Path LAUNCHER = Path.of("..", "db", "target", "perf-gate-db.jar");
    private static final long BROKER_SECONDS = 60;
    private static final long STOP_SECONDS = 30;

    private final Writer commands;
    private final BufferedReader answers;
    private final Map<String, Object> environment;

    private Services(String further, boolean onMySql) throws IOException {
        if (!Files.exists(LAUNCHER)) {
            throw new IllegalStateException(
                    LAUNCHER + " is missing. Build it: mvn -B -f ../db/pom.xml -DskipTests package");
        }
        Path work = Files.createTempDirectory(Files.createDirectories(Path.of("target", "services")), "servers");
        Process launcher = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-jar",
                        LAUNCHER.toString(),
                        "serve",
                        "--empty",
                        further,
                        "--work=" + work)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        commands = launcher.outputWriter();
        answers = launcher.inputReader();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(launcher)));
        // The container starts while the launcher does.
        Map<String, Object> mySql = onMySql ? MySql.start() : Map.of();
        JsonNode ready = answer();
        environment = map(ready.get("env"));
        Map<String, Object> versions = map(ready.get("versions"));
        if (onMySql) {
            // No test can use the wrong one by mistake.
            say("kill database");
            environment.putAll(mySql);
            versions.put("database", MySql.IMAGE);
        }
        if (environment.containsKey("KAFKA_BOOTSTRAP_SERVERS")) {
            awaitBroker();
        }
        System.out.println("== services of the tests: " + versions);
    }

    public static Services running() {
        return Running.SERVICES;
    }

    /** Further servers: MariaDB with a replica, and no Kafka. */
    static Services replicated() {
        return Replicated.SERVICES;
    }

    /** The service's environment variables. */
    public Map<String, Object> environment() {
        return environment;
    }

    public String brokers() {
        return environment.get("KAFKA_BOOTSTRAP_SERVERS").toString();
    }

    /** Connects with the service's account, which may also create schemas here. */
    public Connection connect() throws SQLException {
        return connect("DB_URL");
    }

    Connection connect(String url) throws SQLException {
        return DriverManager.getConnection(
                environment.get(url).toString(),
                environment.get("DB_USER").toString(),
                environment.get("DB_PASSWORD").toString());
    }

    public void stop(Server server) throws IOException {
        tell("kill", server);
    }

    /** Starts it again at its previous address. The database and Kafka still have their data, Redis does not. */
    public void start(Server server) throws IOException {
        tell("start", server);
        if (server == Server.KAFKA) {
            awaitBroker();
        }
    }

    /** Makes it hang, as on a host that is out of memory: it keeps its connections but answers none of them. */
    public void freeze(Server server) throws IOException {
        tell("freeze", server);
    }

    public void thaw(Server server) throws IOException {
        tell("thaw", server);
    }

    private void tell(String verb, Server server) throws IOException {
        if (server == Server.DATABASE && MySql.isSelected()) {
            throw new IllegalStateException("Outages of MySQL are not tested: add -Dgroups=database");
        }
        say(verb + " " + server.name().toLowerCase(Locale.ROOT));
    }

    private void say(String command) throws IOException {
        commands.write(command + "\n");
        commands.flush();
        answer();
    }

    /** The launcher's next line. If a server has failed, the line says so and is the last one. */
    private JsonNode answer() throws IOException {
        String line = answers.readLine();
        if (line == null || line.contains("\"ready\":false")) {
            throw new IOException("The servers of the tests do not run: " + line);
        }
        return JsonMapper.shared().readTree(line);
    }

    private static Map<String, Object> map(JsonNode object) {
        return JsonMapper.shared().convertValue(object, new TypeReference<TreeMap<String, Object>>() {});
    }

    /** The launcher does not wait for Kafka. The client does, until the time-out. */
    private void awaitBroker() throws IOException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", brokers()))) {
            admin.describeCluster().nodes().get(BROKER_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("Kafka does not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    /** The end of its input stops the launcher. */
    private static void stop(Process launcher) {
        try {
            launcher.getOutputStream().close();
            launcher.waitFor(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Starts the services on first use. */
    private static final class Running {

        private static final Services SERVICES = start("--kafka", MySql.isSelected());

        private Running() {}
    }

    private static final class Replicated {

        private static final Services SERVICES = start("--replica", false);

        private Replicated() {}
    }

    private static Services start(String further, boolean onMySql) {
        try {
            return new Services(further, onMySql);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
