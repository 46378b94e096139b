package perfgate.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.test.web.servlet.client.RestTestClient.ResponseSpec;
import perfgate.app.ticketing.TicketingTest;
import perfgate.app.trips.Plan;
import perfgate.app.trips.Trip;

/** Counts the statements that each request costs. The README's table of statements shows these numbers. */
class StatementsTest extends TicketingTest {

    private static final String NEW_TRIP =
            "{\"title\":\"Trip\",\"startDate\":\"2026-06-01\",\"endDate\":\"2026-06-07\"}";

    private StatusCounters counters;
    private Caller caller;
    private String trip;

    @BeforeEach
    void prepare() throws SQLException {
        // Events of an earlier test would add statements.
        await().until(() -> count("EVENT_PUBLICATION", "STATUS <> 'FAILED'") == 0);
        counters = new StatusCounters();
        caller = newCaller();
        trip = "/trips/" + addTrip();
    }

    @AfterEach
    void close() throws SQLException {
        counters.close();
    }

    @Test
    void anIdleServiceSendsNoStatements() throws SQLException {
        assertThat(counters.statements(() -> {})).isZero();
    }

    @Test
    void login() throws SQLException {
        Member known = caller.member();
        Member unseen = newMember();

        assertThat(counters.statements(() -> ok(login(known.email(), PASSWORD))))
                .isEqualTo(1);
        assertThat(counters.statements(() -> ok(login(unseen.email(), PASSWORD))))
                .as("key missing in Redis")
                .isEqualTo(2);
        assertThat(counters.statements(() -> ok(login(unseen.email(), PASSWORD))))
                .as("key now in Redis")
                .isEqualTo(1);
        assertThat(counters.statements(
                        () -> caller.post("/members/logout", "").expectStatus().isNoContent()))
                .isZero();
    }

    @Test
    void trips() throws SQLException {
        assertThat(counters.statements(() -> ok(caller.get("/trips")))).isEqualTo(1);
        assertThat(counters.statements(() -> ok(caller.get("/trips?page=9"))))
                .as("past the last page")
                .isEqualTo(2);
        assertThat(counters.statements(() -> ok(caller.get(trip)))).isEqualTo(1);
        assertThat(counters.statements(this::addTrip)).isEqualTo(1);
        String change = NEW_TRIP.replace("}", ",\"version\":0}");
        assertThat(counters.statements(() -> ok(caller.put(trip, change)))).isEqualTo(1);
        assertThat(counters.statements(
                        () -> caller.put(trip, change).expectStatus().isEqualTo(409)))
                .as("conflict")
                .isEqualTo(2);
        assertThat(counters.statements(() -> ok(caller.delete(trip)))).isEqualTo(1);
    }

    @Test
    void plans() throws SQLException {
        long id = addPlan(1, 1);
        String plan = trip + "/plans/" + id;

        assertThat(counters.statements(() -> ok(caller.get(trip + "/plans")))).isEqualTo(1);
        assertThat(counters.statements(() -> ok(caller.get(plan)))).isEqualTo(1);
        assertThat(counters.statements(() -> addPlan(2, 2))).isEqualTo(2);
        String change = "{\"place\":\"P\",\"latitude\":1,\"longitude\":1,\"version\":0}";
        assertThat(counters.statements(() -> ok(caller.put(plan, change)))).isEqualTo(1);
        assertThat(counters.statements(
                        () -> caller.put(plan, change).expectStatus().isEqualTo(409)))
                .as("conflict")
                .isEqualTo(2);
        assertThat(counters.statements(() -> ok(caller.delete(plan)))).isEqualTo(1);
    }

    @Test
    void sortingCostsOneUpdatePerMovedPlan() throws SQLException {
        addPlan(1, 0);
        addPlan(5, 0);
        addPlan(2, 0);
        addPlan(3, 0);
        addPlan(9, 0);

        // set autocommit=0, lock the trip, select, 3 updates, commit, set autocommit=1
        assertThat(counters.statements(this::sort)).isEqualTo(8);
        assertThat(counters.statements(this::sort)).as("already in order").isEqualTo(5);
    }

    @Test
    void sortingWritesOnlyThePlansThatMove() throws SQLException {
        addPlan(1, 0);
        addPlan(5, 0);
        addPlan(2, 0);
        addPlan(9, 0);

        assertThat(counters.rowsUpdated(this::sort)).isEqualTo(2);
        assertThat(counters.rowsUpdated(this::sort)).as("already in order").isZero();
    }

    @Test
    void quotes() throws SQLException {
        jdbc.sql("INSERT INTO quotes (text) VALUES ('A quote.')").update();
        StatusCounters.Action ask =
                () -> ok(anonymous.get().uri("/quotes/random").exchange());
        ask.run();

        assertThat(counters.statements(ask)).isEqualTo(1);
    }

    @Test
    void queue() throws SQLException {
        long user = caller.member().id();

        assertThat(counters.statements(
                        () -> enter(user).get("/queues/order").expectStatus().isOk()))
                .isZero();
    }

    @Test
    void booking() throws SQLException {
        Visitor visitor = newVisitor();
        Visitor late = newVisitor();
        long concert = newConcert("Counted");
        long schedule = newSchedule(concert, "2098-01-01 19:00:00");
        long seat = newSeats(schedule, 2);
        ok(visitor.get("/concerts"));
        awaitCached("concerts*");

        assertThat(counters.statements(() -> ok(visitor.get("/concerts")))).isZero();
        assertThat(counters.statements(() -> ok(visitor.get("/concerts/" + concert + "/schedules"))))
                .isEqualTo(1);
        awaitCached("schedules*[[]" + concert + ",*");
        assertThat(counters.statements(() -> ok(visitor.get("/concerts/" + concert + "/schedules"))))
                .as("cached")
                .isZero();
        assertThat(counters.statements(() -> ok(visitor.get("/concerts/" + concert + "/schedules?from=2098-01-01"))))
                .isEqualTo(1);
        assertThat(counters.statements(() -> ok(visitor.get("/concerts/schedules/" + schedule + "/seats"))))
                .isEqualTo(1);
        assertThat(counters.statements(() -> ok(visitor.reserve(seat)))).isEqualTo(1);
        assertThat(counters.statements(() -> late.reserve(seat).expectStatus().isEqualTo(409)))
                .as("taken")
                .isEqualTo(2);
        assertThat(counters.statements(() ->
                        visitor.get("/concerts/0/schedules").expectStatus().isNotFound()))
                .as("unknown")
                .isEqualTo(2);
    }

    @Test
    void aPaymentAndItsEventAreOneTransaction() throws SQLException {
        int payments = 20;
        long seat = newSeats(newSchedule(), payments);
        Map<Visitor, Long> reserved = new LinkedHashMap<>();
        for (int i = 0; i < payments; i++) {
            Visitor visitor = newVisitor();
            reserved.put(visitor, reserved(visitor, seat + i));
        }

        Map<String, Long> growth = counters.growth(
                List.of("Com_set_option", "Com_insert", "Com_update", "Com_commit", "Com_delete"), () -> {
                    reserved.forEach((visitor, reservation) -> paid(visitor, reservation));
                    await().until(() -> count("EVENT_PUBLICATION", "TRUE") == 0);
                });

        // The outbox deletes delivered events in batches, one transaction per batch.
        long deletions = growth.get("Com_delete");
        assertThat(deletions).isBetween(1L, (long) payments);
        assertThat(growth)
                .isEqualTo(Map.of(
                        "Com_set_option", 2 * (payments + deletions),
                        "Com_insert", 2L * payments,
                        "Com_update", 1L * payments,
                        "Com_commit", payments + deletions,
                        "Com_delete", deletions));
    }

    private long addTrip() {
        return caller.post("/trips", NEW_TRIP)
                .expectBody(Trip.class)
                .returnResult()
                .getResponseBody()
                .id();
    }

    private long addPlan(double latitude, double longitude) {
        return caller.post(
                        trip + "/plans",
                        "{\"day\":1,\"place\":\"P\",\"latitude\":%s,\"longitude\":%s}".formatted(latitude, longitude))
                .expectBody(Plan.class)
                .returnResult()
                .getResponseBody()
                .id();
    }

    private void sort() {
        ok(caller.post(trip + "/days/1/sort"));
    }

    private static void ok(ResponseSpec response) {
        response.expectStatus().is2xxSuccessful();
    }
}
