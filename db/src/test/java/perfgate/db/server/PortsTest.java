package perfgate.db.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PortsTest {
    @Test
    void noPortIsChosenTwiceWhileNobodyListens() {
        assertThat(IntStream.range(0, 2_000).map(_ -> Ports.anyFree()).toArray())
                .doesNotHaveDuplicates();
    }
}
