package perfgate.app;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/**
 * A real database, a real Redis and a real Kafka, empty, started once and gone with the JVM: in containers where an
 * engine has them, else from the artifacts that the launcher in db/ serves too. Which it is, is printed.
 */
public sealed interface Services permits EmbeddedServices, ContainerServices {

    static Services running() {
        return Running.SERVICES;
    }

    /** The service's environment variables. */
    Map<String, Object> environment();

    /** What an application context is told by properties: less where its beans tell the rest. */
    Map<String, Object> contextProperties();

    String brokers();

    void stopDatabase() throws IOException;

    /** Starts the database where it was before, with what it held. */
    void startDatabase() throws IOException;

    void stopKafka();

    /** Starts Kafka where it was before, with what it held. */
    void startKafka() throws IOException;

    void stopRedis() throws IOException;

    /** Starts Redis where it was before, without what it held. */
    void startRedis() throws IOException;

    /** Lets the server hang, as on a host that is out of memory: it keeps its connections and answers none of them. */
    void freezeDatabase() throws IOException;

    void thawDatabase() throws IOException;

    void freezeRedis() throws IOException;

    void thawRedis() throws IOException;

    void freezeKafka() throws IOException;

    void thawKafka() throws IOException;

    /** Creates an empty schema that the service may use beside its own. */
    void createSchema(String name) throws SQLException;

    /** As the database's administrator. */
    Connection connectAsAdministrator() throws SQLException;

    /** As the service, in its schema. */
    default Connection connect() throws SQLException {
        Map<String, Object> environment = environment();
        return DriverManager.getConnection(
                environment.get("DB_URL").toString(),
                environment.get("DB_USER").toString(),
                environment.get("DB_PASSWORD").toString());
    }

    /** Holds what is started once. */
    final class Running {

        private static final Services SERVICES = start();

        private Running() {}

        private static Services start() {
            Images images = Images.ofThisProject();
            Database database = Database.asked();
            List<String> needed = images.with(database);
            boolean required = "required".equals(System.getenv("GATE_CONTAINERS"));
            ServiceChoice choice = ServiceChoice.of(database, needed, ContainerEngine.lackOf(needed), required);
            System.out.println("== services of the tests: " + choice.told());
            return choice.containers() ? new ContainerServices(database, images) : new EmbeddedServices();
        }
    }
}
