package perfgate.app.ticketing;

import java.time.Instant;
import org.springframework.modulith.events.Externalized;

/**
 * A reservation was paid. The event reaches the broker at least once; consumers recognize a duplicate by its payment id.
 *
 * @param amount in the smallest unit of the currency
 */
@Externalized(SeatPaid.TOPIC)
public record SeatPaid(
        long paymentId, long reservationId, long memberId, long concertSeatId, int amount, Instant paidAt) {

    public static final String TOPIC = "ticketing.seat-paid";
}
