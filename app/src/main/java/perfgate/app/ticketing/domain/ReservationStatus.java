package perfgate.app.ticketing.domain;

enum ReservationStatus {
    PENDING,
    PAID,
    EXPIRED
}
