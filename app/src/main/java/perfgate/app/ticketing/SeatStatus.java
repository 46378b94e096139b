package perfgate.app.ticketing;

public enum SeatStatus {
    AVAILABLE,
    /** Held for somebody who has not paid yet. */
    RESERVED,
    SOLD
}
