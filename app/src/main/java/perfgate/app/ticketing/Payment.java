package perfgate.app.ticketing;

import java.time.Instant;

/**
 * The payment of a reservation. Paying again returns the same payment.
 *
 * @param amount in the smallest unit of the currency
 */
public record Payment(long paymentId, long reservationId, int amount, Instant paidAt) {}
