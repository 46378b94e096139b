package perfgate.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ServiceChoiceTest {

    private static final List<String> IMAGES = List.of("mariadb:1", "redis:2");
    private static final Optional<String> NO_ENGINE = Optional.of("no container engine answers");

    @Test
    void choosesContainersWherePossible() {
        for (Database database : Database.values()) {
            ServiceChoice choice = ServiceChoice.of(database, IMAGES, Optional.empty(), false);

            assertThat(choice).isEqualTo(new ServiceChoice(true, "containers (mariadb:1, redis:2)"));
        }
    }

    @Test
    void fallsBackToEmbeddedServers() {
        ServiceChoice choice = ServiceChoice.of(Database.MARIADB, IMAGES, NO_ENGINE, false);

        assertThat(choice).isEqualTo(new ServiceChoice(false, "embedded, since no container engine answers"));
    }

    @Test
    void failsIfContainersAreRequiredButUnavailable() {
        assertThatThrownBy(() -> ServiceChoice.of(Database.MARIADB, IMAGES, NO_ENGINE, true))
                .hasMessage("GATE_CONTAINERS=required, but no container engine answers");
    }

    @Test
    void failsForMySqlWithoutContainers() {
        assertThatThrownBy(() -> ServiceChoice.of(Database.MYSQL, IMAGES, NO_ENGINE, false))
                .hasMessage("MYSQL only runs in a container, but no container engine answers");
    }

    @Test
    void theEngineReportsWhyContainersCannotStart() {
        assertThat(ContainerEngine.obstacle(List.of("NOT:AN:IMAGE")))
                .hasValueSatisfying(
                        obstacle -> assertThat(obstacle).containsAnyOf("no container engine answers", "NOT:AN:IMAGE"));
    }
}
