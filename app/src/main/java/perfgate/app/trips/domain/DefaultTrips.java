package perfgate.app.trips.domain;

import java.time.Clock;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionOperations;
import perfgate.app.members.MemberId;
import perfgate.app.platform.ReplicaRead;
import perfgate.app.platform.RetryLockFailures;
import perfgate.app.problems.Problem;
import perfgate.app.trips.ChangedPlan;
import perfgate.app.trips.DayPlans;
import perfgate.app.trips.NewPlan;
import perfgate.app.trips.NewTrip;
import perfgate.app.trips.Plan;
import perfgate.app.trips.PlanChange;
import perfgate.app.trips.PlanSummary;
import perfgate.app.trips.Trip;
import perfgate.app.trips.TripChange;
import perfgate.app.trips.TripPage;
import perfgate.app.trips.TripPlans;
import perfgate.app.trips.TripStatus;
import perfgate.app.trips.TripSummary;
import perfgate.app.trips.Trips;
import perfgate.app.trips.domain.PlanRepository.Content;
import perfgate.app.trips.domain.PlanRepository.PlannedStop;
import perfgate.app.trips.domain.TripRepository.ListedTrip;

@Service
class DefaultTrips implements Trips {

    /** The cost of sorting a day grows with the square of its plans, so the number of plans needs a limit. */
    private static final int PLANS_PER_TRIP = 100;

    /** The columns hold six decimals. Rounding here makes the response match later reads. */
    private static final double DEGREE_SCALE = 1e6;

    private final TripRepository trips;
    private final PlanRepository plans;
    private final TransactionOperations transaction;
    private final Clock clock;

    DefaultTrips(TripRepository trips, PlanRepository plans, TransactionOperations transaction, Clock clock) {
        this.trips = trips;
        this.plans = plans;
        this.transaction = transaction;
        this.clock = clock;
    }

    @Override
    @ReplicaRead
    public TripPage list(MemberId member, int page, int size) {
        List<ListedTrip> listed = trips.page(member, (long) page * size, size);
        // Each row carries the total, so only a page past the last one needs a separate count.
        long total = listed.isEmpty()
                ? (page == 0 ? 0 : trips.count(member))
                : listed.getFirst().total();
        LocalDate today = LocalDate.now(clock);
        List<TripSummary> items = listed.stream()
                .map(ListedTrip::trip)
                .map(trip -> new TripSummary(
                        trip.id(),
                        trip.title(),
                        trip.startDate(),
                        trip.endDate(),
                        status(trip.startDate(), trip.endDate(), today)))
                .toList();
        return new TripPage(items, page, size, total);
    }

    @Override
    public Trip find(MemberId member, long tripId) {
        return trips.find(member, tripId)
                .map(row -> trip(row.id(), row.title(), row.startDate(), row.endDate(), row.version()))
                .orElseThrow(() -> tripNotFound(tripId));
    }

    @Override
    @RetryLockFailures
    public Trip add(MemberId member, NewTrip trip) {
        long id = trips.insert(member, trip);
        return trip(id, trip.title(), trip.startDate(), trip.endDate(), 0);
    }

    @Override
    @RetryLockFailures
    public Trip change(MemberId member, long tripId, TripChange change) {
        if (trips.update(member, tripId, change)) {
            return trip(tripId, change.title(), change.startDate(), change.endDate(), change.version() + 1);
        }
        throw trips.exists(member, tripId)
                ? new Problem(HttpStatus.CONFLICT, "trip-changed", "Trip " + tripId + " has changed since it was read.")
                : tripNotFound(tripId);
    }

    @Override
    @RetryLockFailures
    public void remove(MemberId member, long tripId) {
        if (!trips.delete(member, tripId)) {
            throw tripNotFound(tripId);
        }
    }

    @Override
    public TripPlans plans(MemberId member, long tripId) {
        List<PlannedStop> stops = plans.findAll(member, tripId).orElseThrow(() -> tripNotFound(tripId));
        List<DayPlans> days = new ArrayList<>();
        for (PlannedStop stop : stops) {
            if (days.isEmpty() || days.getLast().day() != stop.day()) {
                days.add(new DayPlans(stop.day(), new ArrayList<>()));
            }
            days.getLast().plans().add(stop.plan());
        }
        return new TripPlans(tripId, days);
    }

    @Override
    public Plan findPlan(MemberId member, long tripId, long planId) {
        return plans.find(member, tripId, planId).orElseThrow(() -> planNotFound(planId));
    }

    @Override
    @RetryLockFailures
    public Plan addPlan(MemberId member, long tripId, NewPlan plan) {
        Content content = content(plan.place(), plan.latitude(), plan.longitude(), plan.memo());
        OptionalLong id = plans.append(member, tripId, plan.day(), content, PLANS_PER_TRIP);
        if (id.isEmpty()) {
            throw trips.exists(member, tripId)
                    ? new Problem(HttpStatus.CONFLICT, "plan-limit", "A trip has at most " + PLANS_PER_TRIP + " plans.")
                    : tripNotFound(tripId);
        }
        return new Plan(
                id.getAsLong(),
                tripId,
                plan.day(),
                plans.positionOf(id.getAsLong()).orElseThrow(() -> planNotFound(id.getAsLong())),
                content.place(),
                content.latitude(),
                content.longitude(),
                content.memo(),
                0);
    }

    @Override
    @RetryLockFailures
    public ChangedPlan changePlan(MemberId member, long tripId, long planId, PlanChange change) {
        Content content = content(change.place(), change.latitude(), change.longitude(), change.memo());
        if (plans.update(member, tripId, planId, content, change.version())) {
            return new ChangedPlan(
                    planId,
                    tripId,
                    content.place(),
                    content.latitude(),
                    content.longitude(),
                    content.memo(),
                    change.version() + 1);
        }
        throw plans.find(member, tripId, planId).isPresent()
                ? new Problem(HttpStatus.CONFLICT, "plan-changed", "Plan " + planId + " has changed since it was read.")
                : planNotFound(planId);
    }

    @Override
    @RetryLockFailures
    public void removePlan(MemberId member, long tripId, long planId) {
        if (!plans.delete(member, tripId, planId)) {
            throw planNotFound(planId);
        }
    }

    @Override
    @RetryLockFailures
    public DayPlans sortDay(MemberId member, long tripId, int day) {
        List<PlanSummary> ordered = transaction.execute(status -> {
            if (!trips.lock(member, tripId)) {
                throw tripNotFound(tripId);
            }
            List<PlanSummary> stops = plans.findDay(tripId, day);
            List<PlanSummary> sorted = NearestNeighbour.order(stops);
            List<PlanSummary> moved = moved(stops, sorted);
            if (!moved.isEmpty()) {
                plans.reposition(moved);
            }
            return sorted;
        });
        return new DayPlans(day, ordered);
    }

    private static List<PlanSummary> moved(List<PlanSummary> before, List<PlanSummary> after) {
        Map<Long, Integer> positions = new HashMap<>();
        before.forEach(plan -> positions.put(plan.id(), plan.position()));
        return after.stream()
                .filter(plan -> !Objects.equals(positions.get(plan.id()), plan.position()))
                .toList();
    }

    private Trip trip(long id, String title, LocalDate startDate, LocalDate endDate, int version) {
        return new Trip(id, title, startDate, endDate, status(startDate, endDate, LocalDate.now(clock)), version);
    }

    private static TripStatus status(LocalDate startDate, LocalDate endDate, LocalDate today) {
        if (today.isBefore(startDate)) {
            return TripStatus.UPCOMING;
        }
        return today.isAfter(endDate) ? TripStatus.COMPLETED : TripStatus.ONGOING;
    }

    private static Content content(String place, double latitude, double longitude, @Nullable String memo) {
        return new Content(place, rounded(latitude), rounded(longitude), memo == null ? "" : memo);
    }

    private static double rounded(double degrees) {
        return Math.round(degrees * DEGREE_SCALE) / DEGREE_SCALE;
    }

    private static Problem tripNotFound(long tripId) {
        return new Problem(HttpStatus.NOT_FOUND, "trip-not-found", "No trip has the id " + tripId + ".");
    }

    private static Problem planNotFound(long planId) {
        return new Problem(HttpStatus.NOT_FOUND, "plan-not-found", "This trip has no plan with the id " + planId + ".");
    }
}
