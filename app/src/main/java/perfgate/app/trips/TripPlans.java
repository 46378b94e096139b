package perfgate.app.trips;

import java.util.List;

/** @param days the days that have plans, in order */
public record TripPlans(long tripId, List<DayPlans> days) {}
