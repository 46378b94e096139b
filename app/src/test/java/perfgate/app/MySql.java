package perfgate.app;

import java.util.Map;
import org.testcontainers.mysql.MySQLContainer;

/** The other database that the service runs on, in a container, because no Maven artifact has it. */
final class MySql {

    /** The build names the version. */
    static final String IMAGE = System.getProperty("mysql-image", "");

    private static final String PASSWORD = "not-a-secret";

    private MySql() {}

    static boolean isSelected() {
        return "mysql".equals(System.getProperty("database"));
    }

    /** Starts it, and returns the environment variables with which the service finds it. */
    static Map<String, Object> start() {
        MySQLContainer container = new WithMariaDbDriver()
                .withDatabaseName("perfgate")
                .withUsername("root")
                .withPassword(PASSWORD)
                .withCommand("--innodb-flush-log-at-trx-commit=0", "--skip-log-bin");
        Runtime.getRuntime().addShutdownHook(new Thread(container::stop));
        container.start();
        return Map.of("DB_URL", container.getJdbcUrl(), "DB_USER", "root", "DB_PASSWORD", PASSWORD);
    }

    /** Uses the service's driver. */
    private static final class WithMariaDbDriver extends MySQLContainer {

        WithMariaDbDriver() {
            super(IMAGE);
        }

        @Override
        public String getDriverClassName() {
            return "org.mariadb.jdbc.Driver";
        }

        @Override
        public String getJdbcUrl() {
            return "jdbc:mariadb://%s:%d/%s?allowPublicKeyRetrieval=true"
                    .formatted(getHost(), getMappedPort(MYSQL_PORT), getDatabaseName());
        }
    }
}
