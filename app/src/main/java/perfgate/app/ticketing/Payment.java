package perfgate.app.ticketing;

import java.time.Instant;

/**
 * What was paid for a reservation; paying again answers the same.
 *
 * @param amount in the smallest unit of the currency
 */
public record Payment(long paymentId, long reservationId, int amount, Instant paidAt) {}
