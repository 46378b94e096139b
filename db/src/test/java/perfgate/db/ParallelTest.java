package perfgate.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ParallelTest {
    private final CountDownLatch released = new CountDownLatch(1);

    /** As the database's driver does while it waits for an answer. */
    private void ignoreInterrupts() {
        while (true) {
            try {
                released.await();
                return;
            } catch (InterruptedException e) {
                // The wait starts again.
            }
        }
    }

    @Test
    void releasesAJobThatIgnoresInterruptsAtTheBound() {
        assertThatThrownBy(() -> Parallel.run(
                        Duration.ofMillis(50), released::countDown, List.of(this::ignoreInterrupts, () -> {})))
                .isInstanceOf(IOException.class)
                .hasMessage("the work did not end within PT0.05S");
    }

    @Test
    void releasesTheOthersWhenOneFails() {
        assertThatThrownBy(() ->
                        Parallel.run(Duration.ofMinutes(1), released::countDown, List.of(this::ignoreInterrupts, () -> {
                            throw new IOException("broken");
                        })))
                .hasMessage("broken");
        assertThat(released.getCount()).isZero();
    }
}
