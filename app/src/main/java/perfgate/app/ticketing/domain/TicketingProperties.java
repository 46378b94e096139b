package perfgate.app.ticketing.domain;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * @param reservationTtl how long an unpaid seat is held
 * @param unpaidSeats how many seats a user holds at the same time without paying
 * @param expiryInterval pause between two searches for expired reservations
 * @param seatLockTtl when an unreleased seat lock expires; longer than any statement may take
 * @param concertsTtl how long the cached list of concerts may be out of date
 */
@ConfigurationProperties("perf-gate.ticketing")
record TicketingProperties(
        @DefaultValue("5m") Duration reservationTtl,
        @DefaultValue("4") int unpaidSeats,
        @DefaultValue("1s") Duration expiryInterval,
        @DefaultValue("15s") Duration seatLockTtl,
        @DefaultValue("10m") Duration concertsTtl) {}
