package perfgate.app.trips;

/**
 * @param day counts from 1
 * @param version what an update has to name; sorting a day leaves it alone
 */
public record Plan(
        long id,
        long tripId,
        int day,
        int position,
        String place,
        double latitude,
        double longitude,
        String memo,
        int version) {}
