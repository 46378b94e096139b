package perfgate.db.seed;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import perfgate.db.seed.Verification.Table;

class VerificationTest {
    @Test
    void namesEveryDifference() {
        var verification = new Verification(
                Map.of("trips", new Table(2, "5"), "members", new Table(1, "1")),
                Map.of("trips", new Table(1, "5"), "plans", new Table(1, "1"), "members", new Table(1, "1")));

        assertThat(verification.passed()).isFalse();
        assertThat(verification.lines())
                .filteredOn(line -> line.contains("NO"))
                .satisfiesExactlyInAnyOrder(
                        line -> assertThat(line).matches("plans +0  absent +NO, expected 1 1"),
                        line -> assertThat(line).matches("trips +2  5 +NO, expected 1 5"));
    }
}
