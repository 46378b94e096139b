package perfgate.db;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LoopbackPortsTest {
    @Test
    void noPortIsHandedOutTwiceWhileNobodyListens() {
        assertThat(IntStream.range(0, 2_000).map(_ -> LoopbackPorts.anyFree()).toArray())
                .doesNotHaveDuplicates();
    }
}
