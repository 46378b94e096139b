package perfgate.app.ticketing;

public record Reservation(long reservationId) {}
