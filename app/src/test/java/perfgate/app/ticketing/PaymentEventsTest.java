package perfgate.app.ticketing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.convention.TestBean;
import perfgate.app.PerfGateApplication;
import perfgate.app.Services;
import tools.jackson.databind.json.JsonMapper;

/** Follows an event from the payment to the broker, through failures on either side. */
@TestPropertySource(
        properties = {
            "perf-gate.outbox.redelivery-interval=200ms",
            // As deployed.
            "spring.kafka.producer.properties.delivery.timeout.ms=5000",
            "spring.kafka.producer.properties.request.timeout.ms=3000",
            "spring.kafka.producer.properties.max.block.ms=3000"
        })
@ExtendWith(OutputCaptureExtension.class)
@DirtiesContext
class PaymentEventsTest extends TicketingTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** For thousands of events, on a machine that is busy with other tests. */
    private static final Duration LONGEST_DRAIN = Duration.ofMinutes(5);

    /** The events that are being sent when the broker stands still, a few times over. */
    private static final int MOST_IN_FLIGHT = 50;

    /** It goes on, because an event whose delivery fails twice pauses. */
    @TestBean(name = "noon")
    private Clock clock;

    @Autowired
    private Ticketing ticketing;

    @Autowired
    private JsonMapper json;

    @Autowired
    private MeterRegistry meters;

    private int seen;

    private static Clock clock() {
        Duration toNoon = Duration.between(Instant.now(), TODAY.atTime(12, 0).toInstant(ZoneOffset.UTC));
        return Clock.tick(Clock.offset(Clock.systemUTC(), toNoon), Duration.ofMillis(1));
    }

    @BeforeEach
    void countEarlierEvents() {
        await().atMost(TIMEOUT).until(() -> outbox() == 0);
        seen = Topic.records().size();
    }

    @Test
    void aRepeatedPaymentSendsOneEvent() {
        Visitor visitor = newVisitor();
        long seat = newSeat();
        long reservation = reserved(visitor, seat);
        Payment payment = paid(visitor, reservation);
        paid(visitor, reservation);

        await().atMost(TIMEOUT).untilAsserted(() -> assertThat(events()).isNotEmpty());
        await().atMost(TIMEOUT).until(() -> outbox() == 0);

        assertThat(events())
                .containsExactly(new SeatPaid(
                        payment.paymentId(), reservation, visitor.userId(), seat, PRICE, payment.paidAt()));
        assertThat(Topic.records().getLast().key()).isEqualTo(Long.toString(reservation));
    }

    @Test
    void aRejectedPaymentSendsNoEvent() {
        Visitor visitor = newVisitor();
        long reservation = reserved(visitor, newSeat());
        jdbc.sql("UPDATE reservations SET expires_at = '2026-05-10 11:00:00' WHERE id = ?")
                .param(reservation)
                .update();

        expectProblem(visitor.pay(reservation), 409, "reservation-expired");

        assertThat(outbox()).isZero();
    }

    @Test
    void eventsOfABrokerOutageAreSentAfterIt() throws IOException {
        List<Long> paid = new ArrayList<>();
        Services.running().stop(Services.Server.KAFKA);
        try {
            awaitEvents(503);
            long first = newSeats(newSchedule(), 20);
            for (int i = 0; i < 20; i++) {
                Visitor visitor = newVisitor();
                paid.add(paid(visitor, reserved(visitor, first + i)).paymentId());
            }
            assertThat(outbox()).isEqualTo(20);
            await().atMost(TIMEOUT)
                    .until(() -> meters.get("outbox.backlog").gauge().value() == 20);
        } finally {
            Services.running().start(Services.Server.KAFKA);
        }

        awaitEvents(200);
        await().atMost(TIMEOUT).until(() -> outbox() == 0);
        // The outbox resends an event if the broker accepted it just after the timeout, so duplicates are possible.
        assertThat(Set.copyOf(events())).extracting(SeatPaid::paymentId).containsExactlyInAnyOrderElementsOf(paid);
    }

    @Test
    void theNextInstanceSendsTheEventsOfADeadOne() {
        long seat = newSeat();
        SeatPaid leftover =
                new SeatPaid(-1, -2, -3, seat, PRICE, TODAY.atStartOfDay().toInstant(ZoneOffset.UTC));
        jdbc.sql("""
                        INSERT INTO EVENT_PUBLICATION
                            (ID, LISTENER_ID, EVENT_TYPE, SERIALIZED_EVENT, PUBLICATION_DATE, STATUS, COMPLETION_ATTEMPTS)
                        VALUES (UUID(), ?, ?, ?, '2026-05-10 11:00:00', 'PROCESSING', 1)""")
                .params(
                        "org.springframework.modulith.events.support.EventExternalizerModuleListener"
                                + ".externalize(java.lang.Object)",
                        SeatPaid.class.getName(),
                        json.writeValueAsString(leftover))
                .update();

        Map<String, Object> environment = new HashMap<>(Services.running().environment());
        environment.put("SERVER_PORT", 0);
        environment.put("MANAGEMENT_PORT", 0);
        environment.put("spring.modulith.events.staleness.check-interval", "1s");
        String[] arguments = environment.entrySet().stream()
                .map(variable -> "--" + variable.getKey() + "=" + variable.getValue())
                .toArray(String[]::new);
        try (var _ = SpringApplication.run(PerfGateApplication.class, arguments)) {
            await().atMost(TIMEOUT).until(() -> outbox() == 0);
        }

        // Both the new instance and the running one may find the event and send it.
        assertThat(events()).containsOnly(leftover);
    }

    @Test
    void everyPaymentHasOneEvent(CapturedOutput output) throws Exception {
        List<Long> reservations = payAll(() -> {});

        await().atMost(LONGEST_DRAIN).until(() -> outbox() == 0);
        // The broker of a busy machine may answer too late. The few events in flight are then sent again.
        int again = output.getOut().contains("The broker does not accept events") ? MOST_IN_FLIGHT : 0;
        assertThat(timesSent(reservations).values().stream().filter(times -> times > 1))
                .hasSizeLessThanOrEqualTo(again);
    }

    @Test
    void everyPaymentHasItsEventOnceOrTwiceIfTheBrokerGoesAwayInBetween() throws Exception {
        List<Long> reservations;
        try {
            reservations = payAll(() -> Services.running().stop(Services.Server.KAFKA));
        } finally {
            Services.running().start(Services.Server.KAFKA);
        }

        await().atMost(LONGEST_DRAIN).until(() -> outbox() == 0);
        assertThat(timesSent(reservations).values())
                .allSatisfy(times -> assertThat(times).isBetween(1L, 2L));
    }

    /** How often the event of each of these reservations was sent, and of no other. */
    private Map<Long, Long> timesSent(List<Long> reservations) {
        Map<Long, Long> events =
                events().stream().collect(Collectors.groupingBy(SeatPaid::reservationId, Collectors.counting()));
        assertThat(events.keySet()).containsExactlyInAnyOrderElementsOf(reservations);
        return events;
    }

    private interface Outage {
        void begin() throws IOException;
    }

    /** Pays the seats of 10,000 reservations with eight threads. The outage begins once a third of them is paid. */
    private List<Long> payAll(Outage outage) throws Exception {
        int payments = 10_000;
        int threads = 8;
        long member = newMember().id();
        Buyer buyer = new Buyer(member, ticketing.enqueue(member));
        List<Long> reservations = newReservations(member, payments);
        int before = count("payments", "TRUE");
        CountDownLatch third = new CountDownLatch(payments / 3);

        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            List<Future<?>> payers = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int offset = thread;
                payers.add(pool.submit(() -> IntStream.iterate(offset, i -> i < payments, i -> i + threads)
                        .forEach(i -> {
                            ticketing.pay(buyer, reservations.get(i));
                            third.countDown();
                        })));
            }
            assertThat(third.await(LONGEST_DRAIN.toSeconds(), TimeUnit.SECONDS)).isTrue();
            outage.begin();
            for (Future<?> payer : payers) {
                payer.get();
            }
        }
        assertThat(count("payments", "TRUE") - before).isEqualTo(payments);
        return reservations;
    }

    /** Inserts the reservations of one member with two statements, because only their payments matter here. */
    private List<Long> newReservations(long member, int count) {
        long schedule = newSchedule();
        jdbc.sql("""
                        INSERT INTO concert_seats (concert_schedule_id, seat_number, price)
                        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 100)
                        SELECT ?, a.n, ? FROM numbers a CROSS JOIN numbers b LIMIT ?""").params(schedule, PRICE, count).update();
        jdbc.sql("""
                        INSERT INTO reservations
                            (member_id, concert_seat_id, held_seat_id, status, expires_at, created_at)
                        SELECT ?, id, id, 'PENDING', '2026-05-10 13:00:00', '2026-05-10 12:00:00'
                        FROM concert_seats
                        WHERE concert_schedule_id = ?""").params(member, schedule).update();
        List<Long> reservations = jdbc.sql("SELECT id FROM reservations WHERE member_id = ?")
                .param(member)
                .query(Long.class)
                .list();
        assertThat(reservations).hasSize(count);
        return reservations;
    }

    private void awaitEvents(int status) {
        await().atMost(TIMEOUT)
                .untilAsserted(() -> management
                        .get()
                        .uri("/actuator/health/events")
                        .exchange()
                        .expectStatus()
                        .isEqualTo(status));
    }

    private int outbox() {
        return count("EVENT_PUBLICATION", "TRUE");
    }

    private List<SeatPaid> events() {
        return Topic.records().stream()
                .skip(seen)
                .map(event -> json.readValue(event.value(), SeatPaid.class))
                .toList();
    }
}
