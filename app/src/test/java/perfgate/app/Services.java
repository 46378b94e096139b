package perfgate.app;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/**
 * A real database, Redis and Kafka, which start empty, once per JVM, and end with it. They run in containers where an
 * engine is available, and otherwise from the artifacts that the launcher in db/ uses too. The test output says which.
 */
public sealed interface Services permits EmbeddedServices, ContainerServices {

    static Services running() {
        return Running.SERVICES;
    }

    /** The service's environment variables. */
    Map<String, Object> environment();

    /** The properties of an application context. With containers, beans provide the other connection settings. */
    Map<String, Object> contextProperties();

    String brokers();

    void stopDatabase() throws IOException;

    /** Restarts the database at its previous address with its data. */
    void startDatabase() throws IOException;

    void stopKafka();

    /** Restarts Kafka at its previous address with its data. */
    void startKafka() throws IOException;

    void stopRedis() throws IOException;

    /** Restarts Redis at its previous address without its data. */
    void startRedis() throws IOException;

    /** Makes the server hang, as on a host that is out of memory: it keeps its connections but answers none of them. */
    void freezeDatabase() throws IOException;

    void thawDatabase() throws IOException;

    void freezeRedis() throws IOException;

    void thawRedis() throws IOException;

    void freezeKafka() throws IOException;

    void thawKafka() throws IOException;

    /** Creates another empty schema that the service's account may use. */
    void createSchema(String name) throws SQLException;

    /** Connects as the database administrator. */
    Connection connectAsAdministrator() throws SQLException;

    /** Connects with the service's account to its schema. */
    default Connection connect() throws SQLException {
        Map<String, Object> environment = environment();
        return DriverManager.getConnection(
                environment.get("DB_URL").toString(),
                environment.get("DB_USER").toString(),
                environment.get("DB_PASSWORD").toString());
    }

    /** Starts the services on first use. */
    final class Running {

        private static final Services SERVICES = start();

        private Running() {}

        private static Services start() {
            Images images = Images.fromProjectFiles();
            Database database = Database.selected();
            List<String> needed = images.neededFor(database);
            boolean required = "required".equals(System.getenv("GATE_CONTAINERS"));
            ServiceChoice choice = ServiceChoice.of(database, needed, ContainerEngine.obstacle(needed), required);
            System.out.println("== services of the tests: " + choice.summary());
            return choice.containers() ? new ContainerServices(database, images) : new EmbeddedServices();
        }
    }
}
