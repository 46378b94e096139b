package perfgate.app;

import static org.awaitility.Awaitility.await;

import com.github.dockerjava.api.DockerClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.JdbcDatabaseContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.kafka.KafkaContainer;
import org.testcontainers.lifecycle.Startables;
import org.testcontainers.mariadb.MariaDBContainer;
import org.testcontainers.mysql.MySQLContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * The containers that all tests of one JVM share. Application contexts come and go and would close them, so close() does
 * nothing here. If the JVM is killed, Testcontainers' reaper removes them.
 */
final class ContainerServices implements Services {

    private static final String NAME = "perfgate";
    private static final String PASSWORD = "not-a-secret";
    private static final int DATABASE_PORT = 3306;
    private static final int REDIS_PORT = 6379;
    private static final int KAFKA_PORT = 9092;
    private static final Duration START_TIMEOUT = Duration.ofMinutes(1);

    private final JdbcDatabaseContainer<?> database;
    private final GenericContainer<?> redis;
    private final KafkaContainer kafka;

    ContainerServices(Database database, Images images) {
        this.database = switch (database) {
            case MARIADB -> mariaDb(images.mariaDb());
            case MYSQL -> mySql(images.mySql());
        };
        onFixedPort(this.database, DATABASE_PORT);
        this.database.withDatabaseName(NAME).withUsername(NAME).withPassword(PASSWORD);
        this.redis = onFixedPort(new RedisContainer(images.redis()), REDIS_PORT);
        this.kafka = onFixedPort(kafka(images.kafka()), KAFKA_PORT);
        Runtime.getRuntime().addShutdownHook(new Thread(this::stop));
        Startables.deepStart(this.database, redis, kafka).join();
    }

    JdbcDatabaseContainer<?> database() {
        return database;
    }

    GenericContainer<?> redis() {
        return redis;
    }

    KafkaContainer kafka() {
        return kafka;
    }

    @Override
    public Map<String, Object> environment() {
        return Map.of(
                "DB_URL",
                database.getJdbcUrl(),
                "DB_USER",
                database.getUsername(),
                "DB_PASSWORD",
                database.getPassword(),
                "REDIS_HOST",
                redis.getHost(),
                "REDIS_PORT",
                redis.getMappedPort(REDIS_PORT),
                "KAFKA_BOOTSTRAP_SERVERS",
                brokers());
    }

    /** The containers provide the connections. These two variables are only set because they have no default. */
    @Override
    public Map<String, Object> contextProperties() {
        return Map.of("DB_URL", "the container's", "DB_USER", "the container's");
    }

    @Override
    public String brokers() {
        return kafka.getBootstrapServers();
    }

    @Override
    public void createSchema(String name) throws SQLException {
        try (Connection connection = connectAsAdministrator();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
            statement.execute("GRANT ALL ON %s.* TO %s".formatted(name, NAME));
        }
    }

    @Override
    public Connection connectAsAdministrator() throws SQLException {
        // In these containers the administrator has the user's password.
        return DriverManager.getConnection(database.getJdbcUrl(), "root", PASSWORD);
    }

    @Override
    public void stopKafka() {
        engine().killContainerCmd(kafka.getContainerId()).exec();
    }

    @Override
    public void startKafka() {
        engine().startContainerCmd(kafka.getContainerId()).exec();
        await().atMost(START_TIMEOUT).until(() -> KafkaServer.answers(brokers()));
    }

    @Override
    public void stopRedis() {
        engine().killContainerCmd(redis.getContainerId()).exec();
    }

    @Override
    public void startRedis() {
        engine().startContainerCmd(redis.getContainerId()).exec();
        Wait.forListeningPort().waitUntilReady(redis);
    }

    /** Stops instead of killing, because the database writes its log only once per second and would lose commits. */
    @Override
    public void stopDatabase() {
        engine().stopContainerCmd(database.getContainerId()).exec();
    }

    @Override
    public void startDatabase() {
        engine().startContainerCmd(database.getContainerId()).exec();
        await().atMost(START_TIMEOUT).ignoreExceptions().until(() -> {
            try (Connection connection = connect()) {
                return connection.isValid(1);
            }
        });
    }

    @Override
    public void freezeDatabase() {
        engine().pauseContainerCmd(database.getContainerId()).exec();
    }

    @Override
    public void thawDatabase() {
        engine().unpauseContainerCmd(database.getContainerId()).exec();
    }

    @Override
    public void freezeRedis() {
        engine().pauseContainerCmd(redis.getContainerId()).exec();
    }

    @Override
    public void thawRedis() {
        engine().unpauseContainerCmd(redis.getContainerId()).exec();
    }

    @Override
    public void freezeKafka() {
        engine().pauseContainerCmd(kafka.getContainerId()).exec();
    }

    @Override
    public void thawKafka() {
        engine().unpauseContainerCmd(kafka.getContainerId()).exec();
    }

    private void stop() {
        List.of(kafka, redis, database).forEach(GenericContainer::stop);
    }

    private static DockerClient engine() {
        return DockerClientFactory.lazyClient();
    }

    /** By default a restarted container gets a different port. */
    private static <C extends GenericContainer<?>> C onFixedPort(C container, int port) {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            container.setPortBindings(List.of(free.getLocalPort() + ":" + port));
            return container;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static MariaDBContainer mariaDb(String image) {
        return new MariaDBContainer(image) {
            @Override
            public void close() {}
        }.withCommand("--innodb-flush-log-at-trx-commit=0", "--skip-ssl");
    }

    /** Uses the MariaDB driver, as the service does. */
    private static MySQLContainer mySql(String image) {
        return new MySQLContainer(image) {
            @Override
            public String getDriverClassName() {
                return "org.mariadb.jdbc.Driver";
            }

            @Override
            public String getJdbcUrl() {
                return "jdbc:mariadb://%s:%d/%s?allowPublicKeyRetrieval=true"
                        .formatted(getHost(), getMappedPort(MYSQL_PORT), getDatabaseName());
            }

            @Override
            public void close() {}
        }.withCommand("--innodb-flush-log-at-trx-commit=0", "--skip-log-bin");
    }

    private static final class RedisContainer extends GenericContainer<RedisContainer> {

        private RedisContainer(String image) {
            super(DockerImageName.parse(image));
            withExposedPorts(REDIS_PORT).withCommand("redis-server", "--save", "");
        }

        @Override
        public void close() {}
    }

    private static KafkaContainer kafka(String image) {
        return new KafkaContainer(image) {
            @Override
            public void close() {}
        }.withEnv("KAFKA_HEAP_OPTS", "-Xms128m -Xmx256m")
                .withEnv("KAFKA_JVM_PERFORMANCE_OPTS", "-XX:+UseSerialGC -XX:TieredStopAtLevel=1");
    }
}
