package perfgate.app.ticketing;

/**
 * A seat on one concert date.
 *
 * @param price in the smallest unit of the currency
 */
public record ConcertSeat(long id, int seatNumber, int price, SeatStatus status) {}
