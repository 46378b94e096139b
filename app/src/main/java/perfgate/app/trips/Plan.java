package perfgate.app.trips;

/**
 * @param day counts from 1
 * @param version the number that an update must send back; sorting a day does not change it
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
