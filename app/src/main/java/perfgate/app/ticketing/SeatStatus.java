package perfgate.app.ticketing;

public enum SeatStatus {
    AVAILABLE,
    /** Held for a fan who has not paid yet. */
    RESERVED,
    SOLD
}
