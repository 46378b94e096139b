package perfgate.app.trips;

import java.time.LocalDate;

/** @param version the number of changes so far, which an update must send back */
public record Trip(long id, String title, LocalDate startDate, LocalDate endDate, TripStatus status, int version) {}
