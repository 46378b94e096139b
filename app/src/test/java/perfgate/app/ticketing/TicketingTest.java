package perfgate.app.ticketing;

import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Objects;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.MediaType;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.springframework.test.web.servlet.client.RestTestClient.ResponseSpec;
import perfgate.app.ServiceTest;

/** Adds concerts and fans to the running service. */
public abstract class TicketingTest extends ServiceTest {

    protected static final int PRICE = 70_000;

    /** A user in the queue, and the calls made with that user's token. */
    protected record Visitor(long userId, String token, RestTestClient http) {

        public ResponseSpec get(String uri) {
            return http.get().uri(uri).exchange();
        }

        public ResponseSpec post(String uri, String json) {
            return http.post()
                    .uri(uri)
                    .contentType(MediaType.APPLICATION_JSON)
                    .body(json)
                    .exchange();
        }

        public ResponseSpec reserve(long seatId) {
            return post("/concerts/reservation", "{\"userId\": %d, \"concertSeatId\": %d}".formatted(userId, seatId));
        }

        public ResponseSpec pay(long reservationId) {
            return post("/concerts/reservations/" + reservationId + "/pay", "{\"userId\": %d}".formatted(userId));
        }
    }

    protected Visitor newVisitor() {
        return enter(newMember().id());
    }

    protected Visitor enter(long userId) {
        String token = enqueue(bearer(userId), "{\"userId\": %d}".formatted(userId))
                .expectStatus()
                .isCreated()
                .returnResult()
                .getResponseHeaders()
                .getFirst("X-Access-Token");
        return new Visitor(userId, Objects.requireNonNull(token), withAccessToken(token));
    }

    /** A member's token without a login, which would take most of the time of tests with hundreds of fans. */
    protected String bearer(long memberId) {
        String token = "of-" + memberId;
        redis.opsForValue().set("token:" + token, Long.toString(memberId));
        return token;
    }

    protected ResponseSpec enqueue(String bearer, String json) {
        return withToken(bearer)
                .post()
                .uri("/queues/enqueue")
                .contentType(MediaType.APPLICATION_JSON)
                .body(json)
                .exchange();
    }

    protected RestTestClient withAccessToken(String token) {
        return anonymous.mutate().defaultHeader("X-Access-Token", token).build();
    }

    protected long reserved(Visitor visitor, long seatId) {
        Reservation reservation = visitor.reserve(seatId)
                .expectStatus()
                .isOk()
                .expectBody(Reservation.class)
                .returnResult()
                .getResponseBody();
        return Objects.requireNonNull(reservation).reservationId();
    }

    protected Payment paid(Visitor visitor, long reservationId) {
        Payment payment = visitor.pay(reservationId)
                .expectStatus()
                .isOk()
                .expectBody(Payment.class)
                .returnResult()
                .getResponseBody();
        return Objects.requireNonNull(payment);
    }

    protected List<ConcertSeat> seats(Visitor visitor, long scheduleId) {
        List<ConcertSeat> seats = visitor.get("/concerts/schedules/" + scheduleId + "/seats")
                .expectStatus()
                .isOk()
                .expectBody(new ParameterizedTypeReference<List<ConcertSeat>>() {})
                .returnResult()
                .getResponseBody();
        return Objects.requireNonNull(seats);
    }

    /** The service answers before Redis has the page, because the cache writes asynchronously. */
    protected void awaitCached(String keys) {
        await().until(() -> !redis.keys(keys).isEmpty());
    }

    protected long newConcert(String title) {
        return insert("INSERT INTO concerts (title, artist) VALUES (?, 'An artist')", title);
    }

    protected long newSchedule(long concertId, String date) {
        return insert("INSERT INTO concert_schedules (concert_id, concert_date) VALUES (?, ?)", concertId, date);
    }

    protected long newSchedule() {
        return newSchedule(newConcert("A concert"), "2098-01-01 19:00:00");
    }

    /** Returns the id of the first new seat; the others follow it. */
    protected long newSeats(long scheduleId, int count) {
        long first = newSeat(scheduleId, 1);
        for (int number = 2; number <= count; number++) {
            newSeat(scheduleId, number);
        }
        return first;
    }

    protected long newSeat() {
        return newSeats(newSchedule(), 1);
    }

    protected int count(String table, String where, Object... params) {
        return jdbc.sql("SELECT COUNT(*) FROM " + table + " WHERE " + where)
                .params(params)
                .query(Integer.class)
                .single();
    }

    private long newSeat(long scheduleId, int number) {
        return insert(
                "INSERT INTO concert_seats (concert_schedule_id, seat_number, price) VALUES (?, ?, ?)",
                scheduleId,
                number,
                PRICE);
    }

    private long insert(String sql, Object... params) {
        GeneratedKeyHolder keys = new GeneratedKeyHolder();
        jdbc.sql(sql).params(params).update(keys, "id");
        return Objects.requireNonNull(keys.getKey()).longValue();
    }
}
