package perfgate.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FaultTest {
    @Test
    void isToldWithCodePlaceCauseAndNextStep() {
        var fault = new Fault(Fault.Code.SERVER_DIED, "mariadbd", "it ended", "read its log lines", List.of("[ERROR]"));

        assertThat(fault.text())
                .isEqualTo("error[SERVER_DIED] mariadbd: it ended\n  next: read its log lines\n  log: [ERROR]");
        assertThat(Json.line(fault.notReady()))
                .isEqualTo("{\"ready\":false,\"error\":{\"code\":\"SERVER_DIED\",\"message\":\"mariadbd: it ended\","
                        + "\"nextStep\":\"read its log lines\",\"logTail\":[\"[ERROR]\"]}}");
    }

    @Test
    void otherPlatformsAreRefused() {
        for (Platform platform : List.of(new Platform("Mac OS X", "aarch64"), new Platform("Linux", "aarch64"))) {
            assertThatThrownBy(platform::requireSupported)
                    .isInstanceOf(Fault.class)
                    .hasMessageContaining("Linux x86-64 only");
        }
        new Platform("Linux", "amd64").requireSupported();
    }

    @Test
    void differencesAreNamed() {
        var verification = new Verification(
                Map.of("trips", new TableCheck(2, "5")),
                Map.of("trips", new TableCheck(1, "5"), "plans", new TableCheck(1, "1")));

        assertThat(verification.passed()).isFalse();
        assertThat(verification.differences())
                .containsExactlyInAnyOrder(
                        "trips: expected TableCheck[rows=1, checksum=5], found TableCheck[rows=2, checksum=5]",
                        "plans: expected TableCheck[rows=1, checksum=1], found null");
    }
}
