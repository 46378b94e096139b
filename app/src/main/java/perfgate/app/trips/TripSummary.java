package perfgate.app.trips;

import java.time.LocalDate;

public record TripSummary(long id, String title, LocalDate startDate, LocalDate endDate, TripStatus status) {}
