package perfgate.app.ticketing.domain;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.ZonedDateTime;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConcertCacheConfigurationTest {

    @ParameterizedTest
    @CsvSource({
        "2026-12-24T00:00:00Z, PT24H",
        "2026-12-24T12:00:00Z, PT12H",
        "2026-12-31T23:59:59.999Z, PT0.001S",
        "2026-12-31T23:59:59.999999999Z, PT0S",
        "2026-03-29T00:00+01:00[Europe/Berlin], PT23H",
        "2026-10-25T00:00+02:00[Europe/Berlin], PT25H",
    })
    void schedulesExpireJustAfterMidnight(ZonedDateTime now, Duration untilMidnight) {
        Duration lifetime = ConcertCacheConfiguration.untilMidnight(now);

        assertThat(lifetime).isEqualTo(untilMidnight.plusMillis(1));
        assertThat(now.plus(lifetime).toLocalDate()).isEqualTo(now.toLocalDate().plusDays(1));
    }
}
