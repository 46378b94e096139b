package perfgate.db;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SeederTest {
    @Test
    @Timeout(60)
    void aJobThatHeedsNoInterruptIsReleasedPastTheBound() {
        var released = new CountDownLatch(1);
        Callable<Boolean> stuck = () -> {
            while (true) {
                try {
                    released.await();
                    return true;
                } catch (InterruptedException e) {
                    // As the database's driver does.
                }
            }
        };

        assertThatThrownBy(
                        () -> Seeder.together(List.of(stuck, () -> true), Duration.ofMillis(50), released::countDown))
                .isInstanceOf(IOException.class)
                .hasMessage("the bulk load did not end within PT0.05S");
    }
}
