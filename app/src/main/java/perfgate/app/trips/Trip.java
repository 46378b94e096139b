package perfgate.app.trips;

import java.time.LocalDate;

/** @param version what an update has to name: it counts the changes of this trip */
public record Trip(long id, String title, LocalDate startDate, LocalDate endDate, TripStatus status, int version) {}
