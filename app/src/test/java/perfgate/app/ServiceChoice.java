package perfgate.app;

import java.util.List;
import java.util.Optional;

/**
 * Whether the tests run on containers or on embedded servers.
 *
 * @param summary a line for readers of the test output
 */
record ServiceChoice(boolean containers, String summary) {

    /**
     * Chooses containers where possible.
     *
     * @param obstacle why containers of the images cannot start; empty if they can
     * @param required whether to fail instead of using embedded servers
     */
    static ServiceChoice of(Database database, List<String> images, Optional<String> obstacle, boolean required) {
        if (obstacle.isEmpty()) {
            return new ServiceChoice(true, "containers (%s)".formatted(String.join(", ", images)));
        }
        if (required) {
            throw new IllegalStateException("GATE_CONTAINERS=required, but " + obstacle.get());
        }
        if (database != Database.MARIADB) {
            throw new IllegalStateException(database + " only runs in a container, but " + obstacle.get());
        }
        return new ServiceChoice(false, "embedded, since " + obstacle.get());
    }
}
