package perfgate.app.trips;

import perfgate.app.members.MemberId;

/**
 * A member's trips and their plans. Whatever belongs to another member is as unknown as what does not exist; an update that
 * names an outdated version is refused as a conflict.
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

    /** Appends the plan to its day; refused once the trip has as many as a trip may have. */
    Plan addPlan(MemberId member, long tripId, NewPlan plan);

    ChangedPlan changePlan(MemberId member, long tripId, long planId, PlanChange change);

    void removePlan(MemberId member, long tripId, long planId);

    /** Orders one day's plans by distance, each stop the nearest to the one before it; the first stays first. */
    DayPlans sortDay(MemberId member, long tripId, int day);
}
