package perfgate.app.trips;

/** @param position place in the order of the day, from 0; removed plans leave gaps */
public record PlanSummary(long id, int position, String place, double latitude, double longitude) {}
