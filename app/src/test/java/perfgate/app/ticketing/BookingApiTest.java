package perfgate.app.ticketing;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.config.ScheduledTaskHolder;
import perfgate.app.Concurrently;

class BookingApiTest extends TicketingTest {

    private static final Instant NOON = Instant.parse(TODAY + "T12:00:00Z");

    @Autowired
    private MeterRegistry meters;

    @Autowired
    private ScheduledTaskHolder jobs;

    @Autowired
    private ThreadPoolTaskScheduler scheduler;

    @Test
    void listsConcertsAndCachesThem() {
        Visitor visitor = newVisitor();
        long id = newConcert("Cached 🎫");
        redis.delete(redis.keys("concerts*"));

        List<Concert> first = concerts(visitor, "/concerts");
        awaitCached("concerts*");
        jdbc.sql("UPDATE concerts SET title = 'Changed' WHERE id = ?").param(id).update();

        assertThat(first).contains(new Concert(id, "Cached 🎫", "An artist"));
        assertThat(concerts(visitor, "/concerts")).isEqualTo(first);
        assertThat(redis.keys("concerts*")).hasSize(1).allMatch(key -> redis.getExpire(key) > 500);
    }

    @Test
    void cachesThePageWithTheLongestTitles() {
        Visitor visitor = newVisitor();
        redis.delete(redis.keys("concerts*"));
        int earlier = count("concerts", "TRUE");
        jdbc.sql("""
                        INSERT INTO concerts (title, artist)
                        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 200)
                        SELECT REPEAT('🎫', 100), REPEAT('🎫', 100) FROM numbers""").update();
        String page = "/concerts?size=100&page=" + (earlier / 100 + 1);

        try {
            List<Concert> first = concerts(visitor, page);

            assertThat(first).hasSize(100).allMatch(concert -> concert.title().equals("🎫".repeat(100)));
            awaitCached("concerts*");
            assertThat(concerts(visitor, page)).isEqualTo(first);
        } finally {
            // Other tests look for their concerts on the first page.
            jdbc.sql("DELETE FROM concerts WHERE title = ?")
                    .param("🎫".repeat(100))
                    .update();
        }
    }

    @Test
    void listsConcertsPageByPage() {
        Visitor visitor = newVisitor();
        long first = newConcert("First");
        long second = newConcert("Second");
        redis.delete(redis.keys("concerts*"));
        int all = count("concerts", "TRUE");

        assertThat(concerts(visitor, "/concerts?size=100&page=2147483647")).isEmpty();
        assertThat(concerts(visitor, "/concerts?size=1&page=" + (all - 2)))
                .extracting(Concert::id)
                .containsExactly(first);
        assertThat(concerts(visitor, "/concerts?size=1&page=" + (all - 1)))
                .extracting(Concert::id)
                .containsExactly(second);
        awaitCached("concerts*[[]" + (all - 2) + ",*");
        awaitCached("concerts*[[]" + (all - 1) + ",*");
        assertThat(redis.keys("concerts*[[]" + 100L * Integer.MAX_VALUE + ",*"))
                .as("empty pages are not cached")
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "/concerts?size=1000000, size",
        "/concerts?size=0, size",
        "/concerts?page=-1, page",
        "/concerts/1/schedules?size=1000000, size",
        "/concerts/1/schedules?page=x, page",
        "/concerts/1/schedules?from=24.12.2026, from",
        "/concerts/x/schedules, concertId",
        "/concerts/schedules/x/seats, scheduleId"
    })
    void rejectsValuesOutOfRange(String uri, String field) {
        expectProblem(newVisitor().get(uri), 400, "invalid-request", field);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/concerts/x/schedules", "/concerts/1/schedules?from=24.12.2026"})
    void namesNoTypeOfJava(String uri) {
        newVisitor().get(uri).expectBody().jsonPath("$.errors[0].message").isEqualTo("has the wrong type or format");
    }

    @Test
    void listsSchedulesByDate() {
        Visitor visitor = newVisitor();
        long concert = newConcert("A concert");
        long late = newSchedule(concert, "2098-02-01 19:00:00");
        long early = newSchedule(concert, "2098-01-01 19:00:00");

        ConcertSchedule first = new ConcertSchedule(early, LocalDateTime.parse("2098-01-01T19:00:00"));
        ConcertSchedule second = new ConcertSchedule(late, LocalDateTime.parse("2098-02-01T19:00:00"));
        String all = "/concerts/" + concert + "/schedules";
        assertThat(schedules(visitor, all)).containsExactly(first, second);
        assertThat(schedules(visitor, all + "?from=2098-01-01")).containsExactly(first, second);
        assertThat(schedules(visitor, all + "?from=2098-01-02")).containsExactly(second);
        assertThat(schedules(visitor, all + "?from=2098-02-02")).isEmpty();
        assertThat(schedules(visitor, all + "?from=-0001-01-01")).containsExactly(first, second);
        visitor.http()
                .get()
                .uri(all + "?from={day}", "+40000-01-01")
                .exchange()
                .expectBody()
                .json("[]");
    }

    @Test
    void schedulesAreCachedUntilMidnight() {
        Visitor visitor = newVisitor();
        long concert = newConcert("A concert");
        long known = newSchedule(concert, "2098-01-01 19:00:00");
        String all = "/concerts/" + concert + "/schedules";
        double hits = cacheGets("schedules", "hit");
        double misses = cacheGets("schedules", "miss");

        assertThat(schedules(visitor, all)).extracting(ConcertSchedule::id).containsExactly(known);
        awaitCached("schedules*[[]" + concert + ",*");
        long added = newSchedule(concert, "2098-02-01 19:00:00");
        assertThat(schedules(visitor, all)).extracting(ConcertSchedule::id).containsExactly(known);
        assertThat(schedules(visitor, all + "?from=2098-01-01"))
                .extracting(ConcertSchedule::id)
                .containsExactly(known, added);

        assertThat(cacheGets("schedules", "hit") - hits).isEqualTo(1);
        assertThat(cacheGets("schedules", "miss") - misses).isEqualTo(1);
        assertThat(redis.keys("schedules*[[]" + concert + ",*"))
                .singleElement()
                .satisfies(key -> assertThat(Duration.ofSeconds(redis.getExpire(key)))
                        .isBetween(Duration.ofHours(12).minusMinutes(1), Duration.ofHours(12)));
    }

    @Test
    void seatsGoFromAvailableToReservedToSold() {
        Visitor visitor = newVisitor();
        long schedule = newSchedule();
        long first = newSeats(schedule, 3);
        assertThat(seats(visitor, schedule))
                .containsExactly(
                        new ConcertSeat(first, 1, PRICE, SeatStatus.AVAILABLE),
                        new ConcertSeat(first + 1, 2, PRICE, SeatStatus.AVAILABLE),
                        new ConcertSeat(first + 2, 3, PRICE, SeatStatus.AVAILABLE));

        long reservation = reserved(visitor, first + 1);
        assertThat(seats(visitor, schedule))
                .extracting(ConcertSeat::status)
                .containsExactly(SeatStatus.AVAILABLE, SeatStatus.RESERVED, SeatStatus.AVAILABLE);

        Payment payment = paid(visitor, reservation);
        assertThat(payment).isEqualTo(new Payment(payment.paymentId(), reservation, PRICE, NOON));
        assertThat(seats(newVisitor(), schedule))
                .extracting(ConcertSeat::status)
                .containsExactly(SeatStatus.AVAILABLE, SeatStatus.SOLD, SeatStatus.AVAILABLE);
    }

    @Test
    void unknownIdsAreNotFound() {
        Visitor visitor = newVisitor();
        Visitor nobody = enter(Long.MAX_VALUE);

        expectProblem(visitor.get("/concerts/987654321/schedules"), 404, "concert-not-found");
        expectProblem(visitor.get("/concerts/schedules/987654321/seats"), 404, "schedule-not-found");
        expectProblem(visitor.reserve(987654321), 404, "seat-not-found");
        expectProblem(visitor.pay(987654321), 404, "reservation-not-found");
        expectProblem(nobody.reserve(newSeat()), 404, "member-not-found");
        assertThat(redis.keys("seat-lock:*")).isEmpty();
    }

    @Test
    void aConcertWithoutSchedulesAndAScheduleWithoutSeatsAreEmpty() {
        Visitor visitor = newVisitor();

        visitor.get("/concerts/" + newConcert("Bare") + "/schedules")
                .expectBody()
                .json("[]");
        visitor.get("/concerts/schedules/" + newSchedule() + "/seats")
                .expectBody()
                .json("[]");
    }

    @Test
    void aTakenSeatIsAConflict() {
        long seat = newSeat();
        long reservation = reserved(newVisitor(), seat);

        expectProblem(newVisitor().reserve(seat), 409, "seat-taken");
        assertThat(count("reservations", "held_seat_id = ? AND id = ?", seat, reservation))
                .isEqualTo(1);
    }

    @Test
    void aFanWhoAsksAgainGetsTheSameReservation() {
        long seat = newSeat();
        Visitor fan = newVisitor();
        long reservation = reserved(fan, seat);

        assertThat(reserved(fan, seat)).isEqualTo(reservation);
        assertThat(count("reservations", "concert_seat_id = ?", seat)).isEqualTo(1);

        paid(fan, reservation);
        for (int i = 0; i <= pool.getMaximumPoolSize(); i++) {
            expectProblem(enter(fan.userId()).reserve(seat), 409, "seat-taken");
        }
    }

    @Test
    void aFanHoldsAtMostFourUnpaidSeats() throws Exception {
        int seats = 12;
        long first = newSeats(newSchedule(), seats);
        Visitor fan = newVisitor();
        AtomicLong next = new AtomicLong(first);

        List<Integer> answers = Concurrently.call(
                seats,
                () -> fan.reserve(next.getAndIncrement())
                        .returnResult()
                        .getStatus()
                        .value());

        assertThat(answers).containsOnly(200, 409);
        assertThat(count("reservations", "member_id = ?", fan.userId())).isEqualTo(4);
        expectProblem(fan.reserve(newSeat()), 409, "unpaid-limit");
        long unpaidSeat = jdbc.sql("SELECT MIN(held_seat_id) FROM reservations WHERE member_id = ?")
                .param(fan.userId())
                .query(Long.class)
                .single();
        reserved(fan, unpaidSeat);
        long held = jdbc.sql("SELECT MIN(id) FROM reservations WHERE member_id = ?")
                .param(fan.userId())
                .query(Long.class)
                .single();
        paid(fan, held);
        reserved(enter(fan.userId()), newSeat());
    }

    @Test
    void anExpiredReservationIsNotGivenAgain() {
        long seat = newSeat();
        Visitor fan = newVisitor();
        long reservation = reserved(fan, seat);
        jdbc.sql("UPDATE reservations SET expires_at = ? WHERE id = ?")
                .params(TODAY + " 12:00:00", reservation)
                .update();

        expectProblem(fan.reserve(seat), 409, "seat-taken");
    }

    @Test
    void onlyOneOfACrowdGetsTheSeat() throws Exception {
        int clients = 500;
        long seat = newSeat();
        ConcurrentLinkedQueue<Visitor> crowd = new ConcurrentLinkedQueue<>(
                IntStream.range(0, clients).mapToObj(i -> newVisitor()).toList());

        List<Integer> answers = Concurrently.call(
                clients,
                () -> crowd.remove().reserve(seat).returnResult().getStatus().value());

        assertThat(answers).containsOnlyOnce(200).containsOnly(200, 409);
        assertThat(count("reservations", "concert_seat_id = ?", seat)).isEqualTo(1);
        assertThat(redis.keys("*seat-lock*")).as("leftover locks").isEmpty();
    }

    @Test
    void theDatabaseGivesASeatToOnlyOneEvenWithoutLocks() throws Exception {
        long seat = newSeat();
        List<Long> members =
                IntStream.range(0, 20).mapToObj(i -> newMember().id()).toList();
        ConcurrentLinkedQueue<Long> crowd = new ConcurrentLinkedQueue<>(members);

        List<Boolean> inserted = Concurrently.call(20, () -> insertReservation(crowd.remove(), seat));

        assertThat(inserted).containsOnlyOnce(true);
    }

    @Test
    void payingTwiceChargesOnce() throws Exception {
        Visitor visitor = newVisitor();
        long reservation = reserved(visitor, newSeat());

        Set<Payment> payments = Set.copyOf(Concurrently.call(20, () -> paid(visitor, reservation)));

        assertThat(payments).hasSize(1).contains(paid(visitor, reservation));
        assertThat(count("payments", "reservation_id = ?", reservation)).isEqualTo(1);
    }

    @Test
    void aPaymentEndsTheVisit() {
        Visitor visitor = newVisitor();
        long reservation = reserved(visitor, newSeat());
        paid(visitor, reservation);

        expectProblem(visitor.get("/concerts"), 403, "not-admitted");
        expectProblem(visitor.reserve(newSeat()), 403, "not-admitted");
        assertThat(redis.opsForZSet().score("queue:admitted", visitor.token())).isNull();
    }

    @Test
    void anotherUsersReservationIsNotFound() {
        Visitor owner = newVisitor();
        long reservation = reserved(owner, newSeat());

        expectProblem(newVisitor().pay(reservation), 404, "reservation-not-found");
        assertThat(count("payments", "reservation_id = ?", reservation)).isZero();
        paid(owner, reservation);
    }

    @Test
    void aTokenIsValidOnlyForItsOwner() {
        Visitor owner = newVisitor();
        Visitor other = newVisitor();
        long seat = newSeat();
        long reservation = reserved(owner, newSeat());

        expectProblem(
                other.post(
                        "/concerts/reservation",
                        "{\"userId\": %d, \"concertSeatId\": %d}".formatted(owner.userId(), seat)),
                403,
                "token-of-another");
        expectProblem(
                other.post(
                        "/concerts/reservations/" + reservation + "/pay", "{\"userId\": %d}".formatted(owner.userId())),
                403,
                "token-of-another");
        assertThat(count("reservations", "concert_seat_id = ?", seat)).isZero();
        assertThat(count("payments", "reservation_id = ?", reservation)).isZero();
    }

    @Test
    void anExpiredReservationCannotBePaid() {
        Visitor visitor = newVisitor();
        long reservation = reserved(visitor, newSeat());
        jdbc.sql("UPDATE reservations SET expires_at = '2026-05-10 12:00:00' WHERE id = ?")
                .param(reservation)
                .update();

        expectProblem(visitor.pay(reservation), 409, "reservation-expired");
        assertThat(count("payments", "reservation_id = ?", reservation)).isZero();
    }

    @Test
    void aReservationExpiresAfterTheConfiguredTime() {
        long reservation = reserved(newVisitor(), newSeat());

        assertThat(jdbc.sql("SELECT expires_at FROM reservations WHERE id = ?")
                        .param(reservation)
                        .query((row, n) -> row.getObject(1, LocalDateTime.class))
                        .single())
                .isEqualTo(LocalDateTime.parse("2026-05-10T12:05:00"));
    }

    @Test
    void anExpiredSeatIsFreeAgainAndAPaidOneStaysSold() {
        Visitor late = newVisitor();
        Visitor payer = newVisitor();
        long schedule = newSchedule();
        long seat = newSeats(schedule, 2);
        long unpaid = reserved(late, seat);
        paid(payer, reserved(payer, seat + 1));
        jdbc.sql("UPDATE reservations SET expires_at = '2026-05-10 11:59:59.999' WHERE concert_seat_id IN (?, ?)")
                .params(seat, seat + 1)
                .update();

        expire();

        assertThat(seats(late, schedule))
                .extracting(ConcertSeat::status)
                .containsExactly(SeatStatus.AVAILABLE, SeatStatus.SOLD);
        expectProblem(late.pay(unpaid), 409, "reservation-expired");
        reserved(late, seat);
    }

    @Test
    void expiresMoreReservationsThanOneStatementHolds() {
        int reservations = 1200;
        long first = newSeats(newSchedule(), reservations);
        long member = newMember().id();
        IntStream.range(0, reservations).forEach(i -> insertReservation(member, first + i));
        jdbc.sql("UPDATE reservations SET expires_at = '2026-05-10 11:00:00' WHERE member_id = ?")
                .param(member)
                .update();

        expire();

        assertThat(count("reservations", "member_id = ? AND status = 'EXPIRED' AND held_seat_id IS NULL", member))
                .isEqualTo(reservations);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    {}                                       | concertSeatId userId
                    {"userId": 1}                            | concertSeatId
                    {"userId": 1, "concertSeatId": "front"}  | concertSeatId
                    {"userId": {}, "concertSeatId": 1}       | userId
                    """)
    void listsTheInvalidFieldsOfAReservation(String json, String fields) {
        expectProblem(newVisitor().post("/concerts/reservation", json), 400, "invalid-request", fields.split(" "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/concerts/reservation", "/concerts/reservations/1/pay"})
    void rejectsMalformedJson(String uri) {
        expectProblem(newVisitor().post(uri, "{"), 400, "malformed-request");
    }

    @Test
    void listsTheInvalidFieldsOfAPayment() {
        expectProblem(newVisitor().post("/concerts/reservations/1/pay", "{}"), 400, "invalid-request", "userId");
        expectProblem(
                newVisitor().post("/concerts/reservations/x/pay", "{\"userId\": 1}"),
                400,
                "invalid-request",
                "reservationId");
    }

    /** A job that waits for a broker or a database would otherwise keep seats from becoming free. */
    @Test
    void everyJobHasAThread() {
        assertThat(scheduler.getScheduledThreadPoolExecutor().getCorePoolSize())
                .isGreaterThanOrEqualTo(jobs.getScheduledTasks().size());
    }

    private double cacheGets(String cache, String result) {
        return meters.get("cache.gets")
                .tags("cache", cache, "result", result)
                .functionCounter()
                .count();
    }

    private List<ConcertSchedule> schedules(Visitor visitor, String uri) {
        return visitor.get(uri)
                .expectStatus()
                .isOk()
                .expectBody(new ParameterizedTypeReference<List<ConcertSchedule>>() {})
                .returnResult()
                .getResponseBody();
    }

    private List<Concert> concerts(Visitor visitor, String uri) {
        return visitor.get(uri)
                .expectStatus()
                .isOk()
                .expectBody(new ParameterizedTypeReference<List<Concert>>() {})
                .returnResult()
                .getResponseBody();
    }

    /** Runs the expiry job, whose interval is too long to fire during the tests. */
    private void expire() {
        jobs.getScheduledTasks().stream()
                .filter(job -> job.toString().contains("ReservationExpiry"))
                .findFirst()
                .orElseThrow()
                .getTask()
                .getRunnable()
                .run();
    }

    private boolean insertReservation(long member, long seat) {
        try {
            return jdbc.sql("""
                            INSERT INTO reservations
                                (member_id, concert_seat_id, held_seat_id, status, expires_at, created_at)
                            VALUES (?, ?, ?, 'PENDING', '2026-05-10 13:00:00', '2026-05-10 12:00:00')""").params(member, seat, seat).update(new GeneratedKeyHolder(), "id") == 1;
        } catch (DuplicateKeyException e) {
            return false;
        }
    }
}
