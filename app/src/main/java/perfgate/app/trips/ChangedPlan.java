package perfgate.app.trips;

/** What an update wrote. Day and position are not part of it: answering with them would cost a second statement. */
public record ChangedPlan(
        long id, long tripId, String place, double latitude, double longitude, String memo, int version) {}
