package perfgate.app.trips;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.HttpHeaders;
import org.springframework.test.web.servlet.client.RestTestClient.ResponseSpec;
import perfgate.app.Concurrently;
import perfgate.app.ServiceTest;
import perfgate.app.StatusCounters;

class PlansApiTest extends ServiceTest {

    private Caller caller;
    private long tripId;
    private String plansUri;

    @BeforeEach
    void addTrip() {
        caller = newCaller();
        tripId = newTrip(caller);
        plansUri = "/trips/" + tripId + "/plans";
    }

    @Test
    void addsAPlanAndFindsIt() {
        ResponseSpec response = caller.post(
                plansUri,
                "{\"day\":2,\"place\":\"Tower\",\"latitude\":38.6916004,\"longitude\":-9.2159996,\"memo\":\"Early\"}");

        Plan added = response.expectStatus()
                .isCreated()
                .expectBody(Plan.class)
                .returnResult()
                .getResponseBody();
        response.expectHeader().valueEquals(HttpHeaders.LOCATION, plansUri + "/" + added.id());
        assertThat(added).isEqualTo(new Plan(added.id(), tripId, 2, 0, "Tower", 38.6916, -9.216, "Early", 0));
        assertThat(find(added.id())).isEqualTo(added);
    }

    @Test
    void aMemoIsOptional() {
        assertThat(find(add(1, 1, 1).id()).memo()).isEmpty();
    }

    @Test
    void acceptsTheExtremeCoordinates() {
        for (double[] corner : new double[][] {{90, 180}, {-90, -180}, {0, 0}}) {
            Plan added = add(365, corner[0], corner[1]);
            assertThat(find(added.id())).isEqualTo(added);
        }
    }

    @Test
    void aPlanIsAppendedToItsDay() {
        assertThat(IntStream.range(0, 3).mapToObj(i -> add(1, i, i)).map(Plan::position))
                .containsExactly(0, 1, 2);
        assertThat(add(2, 1, 1).position()).isZero();
    }

    @Test
    void aPlanIsAppendedAfterAGap() {
        Plan first = add(1, 1, 1);
        add(1, 2, 2);
        caller.delete(plansUri + "/" + first.id()).expectStatus().isNoContent();

        assertThat(add(1, 3, 3).position()).isEqualTo(2);
    }

    @Test
    void listsTheDaysInOrder() {
        Plan third = add(3, 1, 1);
        Plan first = add(1, 2, 2);
        Plan firstToo = add(1, 3, 3);

        TripPlans plans = list();

        assertThat(plans.tripId()).isEqualTo(tripId);
        assertThat(plans.days())
                .containsExactly(
                        new DayPlans(1, List.of(summary(first), summary(firstToo))),
                        new DayPlans(3, List.of(summary(third))));
    }

    @Test
    void aTripWithoutPlansHasNoDays() {
        assertThat(list()).isEqualTo(new TripPlans(tripId, List.of()));
    }

    @Test
    void changesAPlanAndKeepsItsPosition() {
        add(1, 1, 1);
        Plan added = add(1, 2, 2);

        ChangedPlan changed = caller.put(plansUri + "/" + added.id(), change("Castle", 3.1234567, 4, 0))
                .expectStatus()
                .isOk()
                .expectBody(ChangedPlan.class)
                .returnResult()
                .getResponseBody();

        assertThat(changed).isEqualTo(new ChangedPlan(added.id(), tripId, "Castle", 3.123457, 4, "Later", 1));
        assertThat(find(added.id())).isEqualTo(new Plan(added.id(), tripId, 1, 1, "Castle", 3.123457, 4, "Later", 1));
    }

    @Test
    void rejectsAnUpdateOfAnotherVersion() {
        Plan added = add(1, 1, 1);
        caller.put(plansUri + "/" + added.id(), change("Castle", 3, 4, 0))
                .expectStatus()
                .isOk();

        expectProblem(caller.put(plansUri + "/" + added.id(), change("Harbour", 3, 4, 0)), 409, "plan-changed");
        assertThat(find(added.id()).place()).isEqualTo("Castle");
    }

    @Test
    void onlyOneConcurrentUpdateWins() throws Exception {
        Plan added = add(1, 1, 1);

        List<Integer> answers =
                Concurrently.call(12, () -> status(caller.put(plansUri + "/" + added.id(), change("Castle", 3, 4, 0))));

        assertThat(answers).containsOnlyOnce(200).containsOnly(200, 409);
        assertThat(find(added.id()).version()).isEqualTo(1);
    }

    @Test
    void concurrentPlansOfADayGetDistinctPositions() throws Exception {
        List<Integer> answers = Concurrently.call(20, () -> status(caller.post(plansUri, plan(1, 1, 1))));

        assertThat(answers).containsOnly(201);
        assertThat(list().days().getFirst().plans())
                .extracting(PlanSummary::position)
                .containsExactlyElementsOf(IntStream.range(0, 20).boxed().toList());
    }

    @Test
    void removesAPlan() {
        Plan added = add(1, 1, 1);

        caller.delete(plansUri + "/" + added.id())
                .expectStatus()
                .isNoContent()
                .expectBody()
                .isEmpty();

        expectProblem(caller.get(plansUri + "/" + added.id()), 404, "plan-not-found");
        expectProblem(caller.delete(plansUri + "/" + added.id()), 404, "plan-not-found");
    }

    @Test
    void aTripHasAtMostAHundredPlans() {
        fill(100);

        expectProblem(caller.post(plansUri, plan(1, 1, 1)), 409, "plan-limit");
        assertThat(list().days()).flatExtracting(DayPlans::plans).hasSize(100);
    }

    @Test
    void concurrentPlansDoNotExceedTheLimit() throws Exception {
        fill(98);

        List<Integer> answers = Concurrently.call(8, () -> status(caller.post(plansUri, plan(1, 1, 1))));

        assertThat(answers).containsOnly(201, 409);
        assertThat(answers.stream().filter(status -> status == 201)).hasSize(2);
    }

    @Test
    void sortsADayAndKeepsTheNewOrder() {
        Plan first = add(1, 37.1, 127);
        Plan far = add(1, 37.9, 127);
        Plan near = add(1, 37.2, 127);
        Plan otherDay = add(2, 37.15, 127);

        DayPlans sorted = sort(1);

        assertThat(sorted.day()).isEqualTo(1);
        assertThat(sorted.plans()).containsExactly(positioned(first, 0), positioned(near, 1), positioned(far, 2));
        assertThat(list().days()).containsExactly(sorted, new DayPlans(2, List.of(summary(otherDay))));
        assertThat(find(far.id()).version()).as("version after sorting").isZero();
        assertThat(sort(1)).as("second sort").isEqualTo(sorted);
    }

    @Test
    void sortingClosesGaps() {
        add(1, 1, 1);
        Plan gone = add(1, 2, 2);
        add(1, 3, 3);
        caller.delete(plansUri + "/" + gone.id()).expectStatus().isNoContent();

        assertThat(sort(1).plans()).extracting(PlanSummary::position).containsExactly(0, 1);
    }

    @Test
    void aDayWithoutPlansIsSorted() {
        assertThat(sort(365)).isEqualTo(new DayPlans(365, List.of()));
    }

    @Test
    void concurrentSortsAndAddsKeepPositionsUnique() throws Exception {
        for (int i = 0; i < 6; i++) {
            add(1, i * 7 % 6, 0);
        }

        Concurrently.call(10, () -> {
            assertThat(status(caller.post("/trips/" + tripId + "/days/1/sort"))).isEqualTo(200);
            return status(caller.post(plansUri, plan(1, 9, 9)));
        });

        assertThat(list().days().getFirst().plans())
                .extracting(PlanSummary::position)
                .doesNotHaveDuplicates()
                .hasSize(16);
    }

    @Test
    void membersAddTheFirstPlansOfTheirTripsAtOnce() throws Exception {
        List<Caller> members = IntStream.range(0, 8).mapToObj(i -> newCaller()).toList();

        for (int round = 0; round < 40; round++) {
            List<Callable<Integer>> firstPlans = members.stream()
                    .map(member -> (Callable<Integer>)
                            () -> status(member.post("/trips/" + newTrip(member) + "/plans", plan(1, 1, 1))))
                    .toList();

            assertThat(Concurrently.call(firstPlans)).containsOnly(201);
        }
    }

    /** A repeated call hides a deadlock, so this counts those of the database. */
    @Test
    void oneTripIsChangedInEveryWayAtOnceWithoutADeadlock() throws Exception {
        try (StatusCounters counters = new StatusCounters()) {
            long before = counters.deadlocks();

            changeOneTripInEveryWayAtOnce();

            assertThat(counters.deadlocks()).isEqualTo(before);
        }
    }

    private void changeOneTripInEveryWayAtOnce() throws Exception {
        for (int round = 0; round < 20; round++) {
            List<Plan> plans =
                    IntStream.range(0, 12).mapToObj(i -> add(1, i * 5 % 12, 0)).toList();
            List<Callable<Integer>> calls = new ArrayList<>();
            for (Plan plan : plans.subList(0, 4)) {
                calls.add(() -> status(caller.put(plansUri + "/" + plan.id(), change("Castle", 9, 9, 0))));
            }
            for (Plan plan : plans.subList(4, 8)) {
                calls.add(() -> status(caller.delete(plansUri + "/" + plan.id())));
            }
            calls.addAll(Collections.nCopies(4, () -> status(caller.post("/trips/" + tripId + "/days/1/sort"))));
            calls.addAll(Collections.nCopies(4, () -> status(caller.post(plansUri, plan(1, 5, 5)))));

            assertThat(Concurrently.call(calls)).containsOnly(200, 201, 204);

            List<PlanSummary> left = list().days().getFirst().plans();
            assertThat(left)
                    .extracting(PlanSummary::position)
                    .doesNotHaveDuplicates()
                    .hasSize(12);
            left.forEach(plan -> caller.delete(plansUri + "/" + plan.id()));
        }
    }

    @Test
    void aCrowdFillsATripToItsLimit() throws Exception {
        List<Integer> answers = Concurrently.call(120, () -> status(caller.post(plansUri, plan(1, 5, 5))));

        assertThat(answers)
                .containsOnly(201, 409)
                .filteredOn(status -> status == 201)
                .hasSize(100);
        assertThat(list().days().getFirst().plans())
                .extracting(PlanSummary::position)
                .doesNotHaveDuplicates()
                .hasSize(100);
    }

    @Test
    void anotherMembersPlanIsNotFound() {
        Plan mine = add(1, 1, 1);
        Caller stranger = newCaller();
        long theirTrip = newTrip(stranger);

        expectProblem(stranger.get(plansUri), 404, "trip-not-found");
        expectProblem(stranger.post(plansUri, plan(1, 1, 1)), 404, "trip-not-found");
        expectProblem(stranger.post("/trips/" + tripId + "/days/1/sort"), 404, "trip-not-found");
        for (String uri : List.of(plansUri + "/" + mine.id(), "/trips/" + theirTrip + "/plans/" + mine.id())) {
            expectProblem(stranger.get(uri), 404, "plan-not-found");
            expectProblem(stranger.put(uri, change("Theirs", 1, 1, 0)), 404, "plan-not-found");
            expectProblem(stranger.delete(uri), 404, "plan-not-found");
        }
        assertThat(find(mine.id())).isEqualTo(mine);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    {}                                                                  | day place latitude longitude
                    {"day": 0, "place": "P", "latitude": 1, "longitude": 1}             | day
                    {"day": 366, "place": "P", "latitude": 1, "longitude": 1}           | day
                    {"day": 1, "place": "", "latitude": 1, "longitude": 1}              | place
                    {"day": 1, "place": "P", "latitude": 90.000001, "longitude": 1}     | latitude
                    {"day": 1, "place": "P", "latitude": -91, "longitude": 1}           | latitude
                    {"day": 1, "place": "P", "latitude": 1, "longitude": 180.1}         | longitude
                    {"day": 1, "place": "P", "latitude": 1, "longitude": -181}          | longitude
                    {"day": 1, "place": "P", "latitude": "NaN", "longitude": 1e400}     | latitude longitude
                    {"day": 1, "place": "P", "latitude": "north", "longitude": 1}       | latitude
                    """)
    void listsTheInvalidFieldsOfAPlan(String json, String fields) {
        expectProblem(caller.post(plansUri, json), 400, "invalid-request", fields.split(" "));
    }

    @Test
    void listsTheInvalidFieldsOfAChange() {
        expectProblem(
                caller.put(plansUri + "/1", "{\"place\":\" \",\"latitude\":91,\"longitude\":181}"),
                400,
                "invalid-request",
                "place",
                "latitude",
                "longitude",
                "version");
    }

    @Test
    void rejectsOverlongTexts() {
        String json = "{\"day\":1,\"place\":\"%s\",\"latitude\":1,\"longitude\":1,\"memo\":\"%s\"}";

        caller.post(plansUri, json.formatted("x".repeat(100), "y".repeat(500)))
                .expectStatus()
                .isCreated();
        expectProblem(
                caller.post(plansUri, json.formatted("x".repeat(101), "y".repeat(501))),
                400,
                "invalid-request",
                "place",
                "memo");
    }

    @ParameterizedTest
    @CsvSource({"0", "366", "first"})
    void rejectsADayOutOfRange(String day) {
        expectProblem(caller.post("/trips/" + tripId + "/days/" + day + "/sort"), 400, "invalid-request", "day");
    }

    private static long newTrip(Caller owner) {
        return owner.post("/trips", "{\"title\":\"Trip\",\"startDate\":\"2026-06-01\",\"endDate\":\"2026-06-07\"}")
                .expectBody(Trip.class)
                .returnResult()
                .getResponseBody()
                .id();
    }

    private void fill(int plans) {
        for (int i = 0; i < plans; i++) {
            jdbc.sql("INSERT INTO plans (trip_id, day_number, position, place, latitude, longitude)"
                            + " VALUES (?, 1, ?, 'Place', 1, 1)")
                    .params(tripId, i)
                    .update();
        }
    }

    private Plan add(int day, double latitude, double longitude) {
        return caller.post(plansUri, plan(day, latitude, longitude))
                .expectStatus()
                .isCreated()
                .expectBody(Plan.class)
                .returnResult()
                .getResponseBody();
    }

    private Plan find(long id) {
        return caller.get(plansUri + "/" + id)
                .expectStatus()
                .isOk()
                .expectBody(Plan.class)
                .returnResult()
                .getResponseBody();
    }

    private TripPlans list() {
        return caller.get(plansUri)
                .expectStatus()
                .isOk()
                .expectBody(TripPlans.class)
                .returnResult()
                .getResponseBody();
    }

    private DayPlans sort(int day) {
        return caller.post("/trips/" + tripId + "/days/" + day + "/sort")
                .expectStatus()
                .isOk()
                .expectBody(DayPlans.class)
                .returnResult()
                .getResponseBody();
    }

    private static int status(ResponseSpec response) {
        return response.returnResult().getStatus().value();
    }

    private static PlanSummary summary(Plan plan) {
        return positioned(plan, plan.position());
    }

    private static PlanSummary positioned(Plan plan, int position) {
        return new PlanSummary(plan.id(), position, plan.place(), plan.latitude(), plan.longitude());
    }

    private static String plan(int day, double latitude, double longitude) {
        return "{\"day\": %d, \"place\": \"Place\", \"latitude\": %s, \"longitude\": %s}"
                .formatted(day, latitude, longitude);
    }

    private static String change(String place, double latitude, double longitude, int version) {
        return "{\"place\": \"%s\", \"latitude\": %s, \"longitude\": %s, \"memo\": \"Later\", \"version\": %d}"
                .formatted(place, latitude, longitude, version);
    }
}
