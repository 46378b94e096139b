package perfgate.app.ticketing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import perfgate.app.PerfGateApplication;
import perfgate.app.Services;
import perfgate.app.Services.Server;
import perfgate.app.ticketing.Crowd.Answer;
import perfgate.app.ticketing.Crowd.Dates;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Takes a dependency away for ten seconds while a crowd books. But for a few waits, the service runs as it is deployed. */
class OutageTest {

    enum Outage {
        REDIS(Services::stop, Services::start, Server.REDIS),
        DATABASE(Services::stop, Services::start, Server.DATABASE),
        KAFKA(Services::stop, Services::start, Server.KAFKA),
        KAFKA_AND_REDIS(Services::stop, Services::start, Server.KAFKA, Server.REDIS),
        REDIS_HANGS(Services::freeze, Services::thaw, Server.REDIS),
        DATABASE_HANGS(Services::freeze, Services::thaw, Server.DATABASE),
        KAFKA_HANGS(Services::freeze, Services::thaw, Server.KAFKA);

        private final Step begin;
        private final Step end;
        private final List<Server> servers;

        Outage(Step begin, Step end, Server... servers) {
            this.begin = begin;
            this.end = end;
            this.servers = List.of(servers);
        }

        /** Booking must go on without the broker, and needs every other dependency. */
        boolean stopsBookings() {
            return !servers.equals(List.of(Server.KAFKA));
        }

        void begin() throws IOException {
            for (Server server : servers) {
                begin.run(Services.running(), server);
            }
        }

        void end() throws IOException {
            for (Server server : servers.reversed()) {
                end.run(Services.running(), server);
            }
        }
    }

    @FunctionalInterface
    private interface Step {
        void run(Services services, Server server) throws IOException;
    }

    private static final int FANS = 32;
    /** The number of further payments that proves steady booking. */
    private static final int STEADY_PAYMENTS = 300;

    private static final String PASSWORD = "correct horse";
    private static final int SEATS = 150;
    private static final int SCHEDULES = 60;
    private static final int MEMBERS = 10_000;
    private static final Duration OUTAGE = Duration.ofSeconds(10);
    private static final Duration RESERVATION_TTL = Duration.ofSeconds(3);
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private static final Set<String> EXPECTED = Set.of(
            "200", "201", "409 /problems/seat-taken", "409 /problems/seat-busy", "409 /problems/reservation-expired");
    private static final String UNAVAILABLE = "503 /problems/unavailable";
    /** A restarted Redis has lost all tokens, so the fan joins the queue again. */
    private static final String TOKEN_LOST = "401 /problems/token-unknown";

    private static ConfigurableApplicationContext service;
    private static JdbcClient database;
    private static long firstMember;

    @BeforeAll
    static void boot() {
        Map<String, Object> environment = Services.running().environment();
        Map<String, Object> arguments = new HashMap<>(environment);
        arguments.put("SERVER_PORT", 0);
        arguments.put("MANAGEMENT_PORT", 0);
        arguments.put("RESERVATION_TTL", RESERVATION_TTL.toMillis() + "ms");
        // Shorter than an outage, and longer than a short stall of the machine.
        arguments.put("spring.data.redis.timeout", "4s");
        arguments.put("spring.datasource.hikari.connection-timeout", 4000);
        // Events in flight when a server stops count as lost after this time. The default is a minute.
        for (String state : List.of("published", "processing", "resubmitted")) {
            arguments.put("spring.modulith.events.staleness." + state, "15s");
        }
        arguments.put("spring.modulith.events.staleness.check-interval", "1s");
        service = SpringApplication.run(
                PerfGateApplication.class,
                arguments.entrySet().stream()
                        .map(argument -> "--" + argument.getKey() + "=" + argument.getValue())
                        .toArray(String[]::new));
        database = JdbcClient.create(new DriverManagerDataSource(
                environment.get("DB_URL").toString(),
                environment.get("DB_USER").toString(),
                environment.get("DB_PASSWORD").toString()));
        firstMember = insertMembers();
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsSoldTwiceOrLost(Outage outage) throws Exception {
        Dates dates = newDates();
        try (Crowd crowd = new Crowd(uri("local.server.port", "/"), dates, RESERVATION_TTL, FANS)) {
            awaitSteadyBooking(crowd);
            long stopped = System.nanoTime();
            outage.begin();
            try {
                if (outage.stopsBookings()) {
                    awaitReadiness(503);
                } else {
                    awaitHealth("events", 503);
                    awaitReadiness(200);
                    awaitSteadyBooking(crowd);
                }
                assertThat(health("liveness")).isEqualTo(200);
                Thread.sleep(OUTAGE.minusNanos(System.nanoTime() - stopped));
            } finally {
                outage.end();
            }
            awaitReadiness(200);
            awaitBooking(crowd);
            long recovered = System.nanoTime();
            awaitSteadyBooking(crowd);
            crowd.finish(TIMEOUT);

            awaitNoLocks();
            assertExpectedAnswers(outage, crowd, stopped, recovered);
            assertFansAndDatabaseAgree(crowd, dates);
            assertOneEventPerPayment(dates);
        }
    }

    /** Waits, because a lock whose caller had timed out before Redis granted it only goes away when it expires. */
    private static void awaitNoLocks() {
        await("all locks are released")
                .atMost(TIMEOUT)
                .until(() -> service.getBean(StringRedisTemplate.class)
                        .keys("*seat-lock*")
                        .isEmpty());
    }

    private static void assertExpectedAnswers(Outage outage, Crowd crowd, long stopped, long recovered) {
        Map<String, Long> before = kinds(crowd.answers().stream()
                .filter(answer -> answer.startedNanos() + answer.took().toNanos() < stopped)
                .toList());
        Map<String, Long> all = kinds(crowd.answers().stream().toList());
        Map<String, Long> after = kinds(crowd.answers().stream()
                .filter(answer -> answer.startedNanos() > recovered)
                .toList());
        Answer slowest =
                crowd.answers().stream().max(Comparator.comparing(Answer::took)).orElseThrow();
        System.out.println(outage + ": " + all + ", slowest " + slowest.took().toMillis() + " ms " + slowest.call());

        assertThat(before.keySet()).as("answers before the outage").isSubsetOf(EXPECTED);
        assertThat(after.keySet()).as("answers after the outage").isSubsetOf(EXPECTED);
        if (outage.stopsBookings()) {
            assertThat(all).as("answers").containsKey(UNAVAILABLE);
            all.remove(UNAVAILABLE);
            all.remove(TOKEN_LOST);
        }
        assertThat(all.keySet()).as("answers").isSubsetOf(EXPECTED);
        assertThat(all).as("answers").containsKey("409 /problems/reservation-expired");
        assertThat(slowest.took()).as("%s", slowest).isLessThan(longestWait(outage));
    }

    /**
     * The longest sum of timeouts that one request can meet. A slow database costs it a connection and a statement. A
     * missing Redis costs it the token, the seat lock and the release of that lock.
     */
    private static Duration longestWait(Outage outage) {
        Environment environment = service.getEnvironment();
        String pool = "spring.datasource.hikari.";
        long connection = environment.getRequiredProperty(pool + "connection-timeout", Long.class);
        long statement = environment.getRequiredProperty(pool + "data-source-properties.socketTimeout", Long.class);
        Duration command = environment.getRequiredProperty("spring.data.redis.timeout", Duration.class);
        return Duration.ofMillis(connection)
                .plus(
                        switch (outage) {
                            case REDIS, REDIS_HANGS, KAFKA_AND_REDIS -> command.multipliedBy(3);
                            case DATABASE, DATABASE_HANGS, KAFKA, KAFKA_HANGS -> Duration.ofMillis(statement);
                        });
    }

    private static void assertFansAndDatabaseAgree(Crowd crowd, Dates dates) {
        assertThat(crowd.contradictions()).isEmpty();
        await("unpaid reservations expire")
                .atMost(TIMEOUT)
                .until(() -> reservations(dates, "status = 'PENDING'").isEmpty());
        List<Long> paid = reservations(dates, "status = 'PAID'");
        assertThat(crowd.payments().keySet()).as("paid reservations").hasSameElementsAs(paid);
        assertThat(reservations(dates, "status = 'EXPIRED' AND held_seat_id IS NULL"))
                .as("expired reservations")
                .containsAll(crowd.expired());
        assertThat(paidSeats(dates)).as("paid seats").doesNotHaveDuplicates().hasSameSizeAs(paid);
        assertThat(payments(dates)).as("payments").isEqualTo(crowd.payments());
        assertThat(reservations(
                        dates,
                        "EXISTS (SELECT 1 FROM payments p WHERE p.reservation_id = r.id AND paid_at >= expires_at)"))
                .as("reservations paid after they expired")
                .isEmpty();
    }

    private static void assertOneEventPerPayment(Dates dates) {
        await("the outbox is empty")
                .atMost(TIMEOUT.multipliedBy(5))
                .until(() -> count("SELECT COUNT(*) FROM EVENT_PUBLICATION") == 0);
        Set<Long> seatIds = Set.copyOf(seats(dates));
        List<JsonNode> events = Topic.records().stream()
                .map(event -> JsonMapper.shared().readTree(event.value()))
                .filter(event -> seatIds.contains(event.get("concertSeatId").asLong()))
                .toList();
        Map<Long, Long> sent = new TreeMap<>();
        events.forEach(event -> sent.put(
                event.get("reservationId").asLong(), event.get("paymentId").asLong()));
        assertThat(sent).as("payments with an event").isEqualTo(payments(dates));
    }

    private static void awaitBooking(Crowd crowd) {
        awaitPayments(crowd, 1);
    }

    private static void awaitSteadyBooking(Crowd crowd) {
        awaitPayments(crowd, STEADY_PAYMENTS);
    }

    private static void awaitPayments(Crowd crowd, int more) {
        int before = crowd.payments().size();
        await("bookings succeed").atMost(TIMEOUT).until(() -> crowd.payments().size() >= before + more);
    }

    private static void awaitReadiness(int status) {
        awaitHealth("readiness", status);
    }

    private static void awaitHealth(String group, int status) {
        await(group + " " + status).atMost(TIMEOUT).until(() -> health(group) == status);
    }

    private static int health(String group) throws Exception {
        URI uri = uri("local.management.port", "/actuator/health/" + group);
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding())
                    .statusCode();
        }
    }

    private static URI uri(String portProperty, String path) {
        return URI.create("http://127.0.0.1:" + service.getEnvironment().getRequiredProperty(portProperty) + path);
    }

    private static Map<String, Long> kinds(List<Answer> answers) {
        return answers.stream().collect(Collectors.groupingBy(Answer::kind, TreeMap::new, Collectors.counting()));
    }

    private static Map<Long, Long> payments(Dates dates) {
        return database
                .sql("SELECT r.id, p.id FROM payments p JOIN reservations r ON r.id = p.reservation_id" + OF_DATES)
                .param("schedules", dates.schedules())
                .query((row, n) -> Map.entry(row.getLong(1), row.getLong(2)))
                .list()
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private static final String OF_DATES =
            " JOIN concert_seats s ON s.id = r.concert_seat_id WHERE s.concert_schedule_id IN (:schedules)";

    private static List<Long> reservations(Dates dates, String condition) {
        return ids("SELECT r.id FROM reservations r" + OF_DATES + " AND " + condition, dates);
    }

    private static List<Long> paidSeats(Dates dates) {
        return ids("SELECT r.concert_seat_id FROM reservations r" + OF_DATES + " AND status = 'PAID'", dates);
    }

    private static List<Long> seats(Dates dates) {
        return ids("SELECT id FROM concert_seats WHERE concert_schedule_id IN (:schedules)", dates);
    }

    private static List<Long> ids(String sql, Dates dates) {
        return database.sql(sql)
                .param("schedules", dates.schedules())
                .query(Long.class)
                .list();
    }

    private static long count(String sql) {
        return database.sql(sql).query(Long.class).single();
    }

    private static Dates newDates() {
        String title = "Outage " + System.nanoTime();
        database.sql("INSERT INTO concerts (title, artist) VALUES (?, 'An artist')")
                .param(title)
                .update();
        long concert = database.sql("SELECT id FROM concerts WHERE title = ?")
                .param(title)
                .query(Long.class)
                .single();
        database.sql("INSERT INTO concert_schedules (concert_id, concert_date)" + NUMBERS
                        + "SELECT ?, '2098-01-01 19:00:00' FROM numbers LIMIT ?")
                .params(concert, SCHEDULES)
                .update();
        List<Long> schedules = database.sql("SELECT id FROM concert_schedules WHERE concert_id = ? ORDER BY id")
                .param(concert)
                .query(Long.class)
                .list();
        database.sql("INSERT INTO concert_seats (concert_schedule_id, seat_number, price)" + NUMBERS
                        + "SELECT s.id, n, 70000 FROM concert_schedules s CROSS JOIN numbers"
                        + " WHERE s.concert_id = ? AND n <= ?")
                .params(concert, SEATS)
                .update();
        return new Dates(concert, schedules, SEATS, firstMember, PASSWORD);
    }

    private static final String NUMBERS =
            " WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000) ";

    /** Returns the first id of enough members that none of them books twice. Their e-mail addresses hold their ids. */
    private static long insertMembers() {
        database.sql("INSERT INTO members (email, password_hash, name, created_at)" + NUMBERS
                        + "SELECT CONCAT('crowd', a.n, '-', b.n), ?, 'A fan', NOW(3)"
                        + " FROM numbers a CROSS JOIN numbers b LIMIT ?")
                .params(new BCryptPasswordEncoder(4).encode(PASSWORD), MEMBERS)
                .update();
        database.sql("UPDATE members SET email = CONCAT('crowd', id, '@example.com') WHERE email LIKE 'crowd%'")
                .update();
        List<Long> ids = database.sql("SELECT id FROM members WHERE email LIKE 'crowd%' ORDER BY id")
                .query(Long.class)
                .list();
        assertThat(ids).hasSize(MEMBERS);
        assertThat(ids.getLast() - ids.getFirst()).as("span of consecutive ids").isEqualTo(MEMBERS - 1);
        return ids.getFirst();
    }
}
