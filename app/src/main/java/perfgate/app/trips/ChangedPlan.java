package perfgate.app.trips;

/** A plan after an update. It omits day and position, because reading them would cost a second statement. */
public record ChangedPlan(
        long id, long tripId, String place, double latitude, double longitude, String memo, int version) {}
