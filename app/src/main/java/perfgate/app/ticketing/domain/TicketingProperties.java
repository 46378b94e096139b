package perfgate.app.ticketing.domain;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * @param reservationTtl how long a seat is held for somebody who has not paid
 * @param expiryInterval pause between two looks for reservations whose time is over
 * @param seatLockTtl when a seat's lock ends whose holder did not release it; longer than a statement may take
 * @param concertsTtl how long the list of concerts may be out of date
 */
@ConfigurationProperties("perf-gate.ticketing")
record TicketingProperties(
        @DefaultValue("5m") Duration reservationTtl,
        @DefaultValue("1s") Duration expiryInterval,
        @DefaultValue("15s") Duration seatLockTtl,
        @DefaultValue("10m") Duration concertsTtl) {}
