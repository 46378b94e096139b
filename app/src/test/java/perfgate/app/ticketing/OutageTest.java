package perfgate.app.ticketing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.Test;
import org.springframework.http.MediaType;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.servlet.client.RestTestClient.ResponseSpec;
import perfgate.app.Services;
import tools.jackson.databind.json.JsonMapper;

/** A crowd books while what the service stands on goes away and comes back. */
@TestPropertySource(properties = "perf-gate.outbox.redelivery-interval=200ms")
@DirtiesContext
class OutageTest extends TicketingTest {

    private static final int FANS = 16;
    private static final int SEATS = 2000;
    private static final Duration BOUND = Duration.ofSeconds(30);

    private final Set<Integer> statuses = ConcurrentHashMap.newKeySet();
    private final Set<Long> paid = ConcurrentHashMap.newKeySet();
    private final AtomicInteger booked = new AtomicInteger();
    private final AtomicLong slowestMillis = new AtomicLong();

    @Test
    void nothingIsSoldTwiceOrLostOverOutages() throws Throwable {
        long first = newSeats(newSchedule(), SEATS);
        AtomicBoolean over = new AtomicBoolean();
        try (ExecutorService crowd = Executors.newFixedThreadPool(FANS)) {
            List<Future<?>> fans = new ArrayList<>();
            for (int fan = 0; fan < FANS; fan++) {
                long member = newMember().id();
                fans.add(crowd.submit(() -> {
                    while (!over.get()) {
                        book(member, first + ThreadLocalRandom.current().nextInt(SEATS));
                    }
                }));
            }
            try {
                progress();
                withoutKafka(() -> {
                    readiness(503);
                    progress();
                    withoutRedis(() -> await().atMost(BOUND).until(() -> statuses.contains(503)));
                });
                readiness(200);
                progress();
            } finally {
                over.set(true);
            }
            for (Future<?> fan : fans) {
                fan.get();
            }
        }

        assertThat(statuses).as("answers").isSubsetOf(200, 201, 401, 409, 503).contains(200, 503);
        assertThat(slowestMillis.get()).isLessThan(10_000);
        assertThat(count("reservations", "held_seat_id BETWEEN ? AND ?", first, first + SEATS - 1))
                .as("a seat each")
                .isEqualTo(count("reservations", "concert_seat_id BETWEEN ? AND ?", first, first + SEATS - 1));
        await().atMost(BOUND).until(() -> count("EVENT_PUBLICATION", "TRUE") == 0);
        List<Long> payments = jdbc.sql("SELECT p.id FROM payments p JOIN reservations r ON r.id = p.reservation_id"
                        + " WHERE r.status = 'PAID' AND r.concert_seat_id BETWEEN ? AND ?")
                .params(first, first + SEATS - 1)
                .query(Long.class)
                .list();
        assertThat(payments).containsAll(paid);
        assertThat(payments)
                .hasSize(count(
                        "reservations",
                        "status = 'PAID' AND concert_seat_id BETWEEN ? AND ?",
                        first,
                        first + SEATS - 1));
        assertThat(Topic.payments()).containsAll(payments);
    }

    private static void withoutKafka(ThrowingRunnable meanwhile) throws Throwable {
        Services.running().stopKafka();
        try {
            meanwhile.run();
        } finally {
            Services.running().startKafka();
        }
    }

    private static void withoutRedis(ThrowingRunnable meanwhile) throws Throwable {
        Services.running().stopRedis();
        try {
            meanwhile.run();
        } finally {
            Services.running().startRedis();
        }
    }

    /** Whatever is answered, the next pass begins anew. */
    private void book(long member, long seat) {
        var entered = anonymous
                .post()
                .uri("/queues/enqueue")
                .contentType(MediaType.APPLICATION_JSON)
                .body("{\"userId\": %d}".formatted(member))
                .exchange()
                .returnResult();
        statuses.add(entered.getStatus().value());
        String token = entered.getResponseHeaders().getFirst("X-Access-Token");
        if (token == null) {
            return;
        }
        Visitor visitor = new Visitor(member, token, withAccessToken(token));
        long began = System.nanoTime();
        answer(visitor.reserve(seat), "reservationId")
                .flatMap(reservation -> answer(visitor.pay(reservation), "paymentId"))
                .ifPresent(payment -> {
                    paid.add(payment);
                    booked.incrementAndGet();
                });
        slowestMillis.accumulateAndGet((System.nanoTime() - began) / 1_000_000, Math::max);
    }

    /** The number of that name if the answer is a success. */
    private Optional<Long> answer(ResponseSpec response, String name) {
        var answer = response.expectBody().returnResult();
        statuses.add(answer.getStatus().value());
        return answer.getStatus().value() == 200
                ? Optional.of(JsonMapper.shared()
                        .readTree(answer.getResponseBodyContent())
                        .get(name)
                        .asLong())
                : Optional.empty();
    }

    private void progress() {
        int before = booked.get();
        await().atMost(BOUND).until(() -> booked.get() > before + 20);
    }

    private void readiness(int status) {
        await().atMost(BOUND)
                .untilAsserted(() -> management
                        .get()
                        .uri("/actuator/health/readiness")
                        .exchange()
                        .expectStatus()
                        .isEqualTo(status));
    }
}
