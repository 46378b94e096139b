package perfgate.app.trips;

import perfgate.app.members.MemberId;

/**
 * A member's trips and their plans. Another member's data is reported as not found. An update with an outdated version is
 * a conflict.
 */
public interface Trips {

    /** One page, counted from 0, ordered by start date and id. */
    TripPage list(MemberId member, int page, int size);

    Trip find(MemberId member, long tripId);

    Trip add(MemberId member, NewTrip trip);

    Trip change(MemberId member, long tripId, TripChange change);

    /** Removes the trip and its plans. */
    void remove(MemberId member, long tripId);

    TripPlans plans(MemberId member, long tripId);

    Plan findPlan(MemberId member, long tripId, long planId);

    /** Appends the plan to its day, unless the trip already has the maximum number of plans. */
    Plan addPlan(MemberId member, long tripId, NewPlan plan);

    ChangedPlan changePlan(MemberId member, long tripId, long planId, PlanChange change);

    void removePlan(MemberId member, long tripId, long planId);

    /** Orders one day's plans by distance: the first stays first, and each next stop is the nearest remaining one. */
    DayPlans sortDay(MemberId member, long tripId, int day);
}
