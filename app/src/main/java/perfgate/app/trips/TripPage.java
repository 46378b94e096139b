package perfgate.app.trips;

import java.util.List;

/** @param total number of the member's trips on all pages */
public record TripPage(List<TripSummary> items, int page, int size, long total) {}
