package perfgate.app.trips;

public enum TripStatus {
    UPCOMING,
    ONGOING,
    COMPLETED
}
