package perfgate.app;

import java.util.List;
import java.util.Optional;

/**
 * What the tests run on.
 *
 * @param told a line for whoever reads the tests' output
 */
record ServiceChoice(boolean containers, String told) {

    /**
     * Of containers and embedded servers.
     *
     * @param lack why there can be no containers of the images; empty if there can
     * @param required whether nothing but containers will do
     */
    static ServiceChoice of(Database database, List<String> images, Optional<String> lack, boolean required) {
        if (lack.isEmpty()) {
            return new ServiceChoice(true, "containers (%s)".formatted(String.join(", ", images)));
        }
        if (required) {
            throw new IllegalStateException("GATE_CONTAINERS=required, but " + lack.get());
        }
        if (database != Database.MARIADB) {
            throw new IllegalStateException(database + " comes in a container only, but " + lack.get());
        }
        return new ServiceChoice(false, "embedded, since " + lack.get());
    }
}
