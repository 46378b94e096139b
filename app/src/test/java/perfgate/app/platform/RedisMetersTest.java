package perfgate.app.platform;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.TestPropertySource;
import perfgate.app.ServiceTest;

@TestPropertySource(properties = "REDIS_METERS=true")
@DirtiesContext
@Tag("redis")
class RedisMetersTest extends ServiceTest {

    @Test
    void timesEachRedisCommandWithoutBuckets() {
        newCaller().get("/trips").expectStatus().isOk();

        assertThat(scrape().lines().filter(line -> line.startsWith("lettuce_")))
                .anyMatch(
                        line -> line.matches("lettuce_command_completion_seconds_count\\{.*command=\"GET\".*} [1-9].*"))
                .anyMatch(line -> line.startsWith("lettuce_command_firstresponse_seconds_sum{"))
                .noneMatch(line -> line.contains("_bucket"));
    }
}
