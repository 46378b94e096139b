package perfgate.app.trips;

/** @param position place in the day's order, from 0; gaps are where plans were removed */
public record PlanSummary(long id, int position, String place, double latitude, double longitude) {}
