package perfgate.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.modulith.events.FailedEventPublications;
import org.springframework.modulith.events.ResubmissionOptions;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.springframework.test.web.servlet.client.RestTestClient.ResponseSpec;
import perfgate.app.Services.Server;
import perfgate.app.trips.TripPage;

/** The service as it is deployed, on a database with a replica. */
class ReplicaTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int POOL_SIZE = 3;
    private static final String TRIP = "{\"title\":\"A trip\",\"startDate\":\"2026-06-01\",\"endDate\":\"2026-06-07\"}";
    private static final String RESERVATION = "{\"userId\":1,\"concertSeatId\":1}";

    private static ConfigurableApplicationContext service;
    private static RestTestClient http;
    private static RestTestClient management;

    private Connection onPrimary;
    private Connection onReplica;

    @BeforeAll
    static void boot() {
        Map<String, Object> arguments = new HashMap<>(Services.replicated().environment());
        arguments.put("SERVER_PORT", 0);
        arguments.put("MANAGEMENT_PORT", 0);
        arguments.put("DB_REPLICA_POOL_SIZE", POOL_SIZE);
        // Background jobs would add statements to those that a test counts.
        arguments.put("perf-gate.ticketing.expiry-interval", "1h");
        arguments.put("perf-gate.outbox.redelivery-interval", "1h");
        arguments.put("spring.modulith.events.staleness.check-interval", "1h");
        service = SpringApplication.run(
                PerfGateApplication.class,
                arguments.entrySet().stream()
                        .map(argument -> "--" + argument.getKey() + "=" + argument.getValue())
                        .toArray(String[]::new));
        insertRows();
        signIn();
    }

    private static void insertRows() {
        JdbcClient database = service.getBean(JdbcClient.class);
        for (String row : List.of(
                "members (id, email, password_hash, name, created_at) VALUES (1, 'a@example.com', '', 'A fan', NOW(3))",
                "concerts (id, title, artist) VALUES (1, 'A concert', 'An artist')",
                "concert_schedules (id, concert_id, concert_date) VALUES (1, 1, '2098-01-01 19:00:00')",
                "concert_seats (id, concert_schedule_id, seat_number, price) VALUES (1, 1, 1, 70000)",
                "trips (id, member_id, title, start_date, end_date) VALUES (1, 1, 'A trip', '2026-06-01', '2026-06-07')",
                "plans (id, trip_id, day_number, position, place, latitude, longitude, memo)"
                        + " VALUES (1, 1, 1, 0, 'A place', 1, 1, '')")) {
            database.sql("INSERT INTO " + row).update();
        }
    }

    private static void signIn() {
        service.getBean(StringRedisTemplate.class).opsForValue().set("token:any", "1");
        http = client("local.server.port")
                .defaultHeader("Authorization", "Bearer any")
                .build();
        String accessToken = post("/queues/enqueue", "{\"userId\":1}")
                .expectStatus()
                .isCreated()
                .returnResult()
                .getResponseHeaders()
                .getFirst("X-Access-Token");
        http = http.mutate()
                .defaultHeader("X-Access-Token", Objects.requireNonNull(accessToken))
                .build();
        management = client("local.management.port").build();
    }

    private static RestTestClient.Builder<?> client(String port) {
        return RestTestClient.bindToServer()
                .baseUrl("http://127.0.0.1:" + service.getEnvironment().getRequiredProperty(port));
    }

    @BeforeEach
    void connect() throws SQLException {
        onPrimary = Services.replicated().connect("DB_URL");
        onReplica = Services.replicated().connect("DB_REPLICA_URL");
        awaitReplica();
        awaitFull(service.getBean(DataSource.class).unwrap(HikariDataSource.class));
        awaitFull(service.getBean("replica", HikariDataSource.class));
    }

    @AfterEach
    void disconnect() throws SQLException {
        onPrimary.close();
        onReplica.close();
    }

    /** Waits until the replica has all that is written so far. */
    private void awaitReplica() throws SQLException {
        String written = value(onPrimary, "SELECT @@gtid_binlog_pos");
        String wait = "SELECT MASTER_GTID_WAIT('%s', %d)".formatted(written, TIMEOUT.toSeconds());
        assertThat(value(onReplica, wait)).as(wait).isEqualTo("0");
    }

    private static String value(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    /** A connection opened in the background would add statements to those that a test counts. */
    private static void awaitFull(HikariDataSource pool) {
        await().atMost(TIMEOUT)
                .until(() -> pool.getHikariPoolMXBean().getIdleConnections() == pool.getMaximumPoolSize());
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/trips", "/concerts", "/concerts/1/schedules", "/concerts/schedules/1/seats"})
    void theReplicaAnswersWithOneStatement(String uri) throws SQLException {
        assertThat(statements(() -> get(uri).expectStatus().isOk())).isEqualTo(new Statements(0, 1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/trips/1", "/trips/1/plans", "/trips/1/plans/1"})
    void thePrimaryAnswersWhatItsUserMayJustHaveChanged(String uri) throws SQLException {
        assertThat(statements(() -> get(uri).expectStatus().isOk())).isEqualTo(new Statements(1, 0));
    }

    @Test
    void theOutboxReadsThePrimary() throws SQLException {
        Statements resubmission = statements(
                () -> service.getBean(FailedEventPublications.class).resubmit(ResubmissionOptions.defaults()));

        assertThat(resubmission.onPrimary()).isPositive();
        assertThat(resubmission.onReplica()).isZero();
    }

    @Test
    void aReplicaThatLagsShowsOldListsAndStopsNoWrite() throws SQLException {
        long trips = trips();
        execute("STOP SLAVE");
        try {
            String trip = post("/trips", TRIP)
                    .expectStatus()
                    .isCreated()
                    .returnResult()
                    .getResponseHeaders()
                    .getFirst("Location");
            get(trip).expectStatus().isOk();
            http.put()
                    .uri(trip)
                    .contentType(MediaType.APPLICATION_JSON)
                    .body(TRIP.replace("}", ",\"version\":0}"))
                    .exchange()
                    .expectStatus()
                    .isOk();
            assertThat(trips()).isEqualTo(trips);

            byte[] reservation = post("/concerts/reservation", RESERVATION)
                    .expectStatus()
                    .isOk()
                    .expectBody()
                    .returnResult()
                    .getResponseBodyContent();
            expectSeat("AVAILABLE");
            post("/concerts/reservation", RESERVATION)
                    .expectStatus()
                    .isOk()
                    .expectBody()
                    .json(new String(reservation));
        } finally {
            execute("START SLAVE");
        }

        awaitReplica();
        assertThat(trips()).isEqualTo(trips + 1);
        expectSeat("RESERVED");
    }

    @Test
    void isNotReadyWhileTheReplicaIsDown() throws IOException {
        Services.replicated().stop(Server.REPLICA);
        try {
            health("readiness").expectStatus().isEqualTo(503);
            health("liveness").expectStatus().isOk();
            ServiceTest.expectProblem(get("/trips"), 503, "unavailable");
            ServiceTest.expectProblem(get("/concerts/schedules/1/seats"), 503, "unavailable");
            get("/trips/1").expectStatus().isOk();
            post("/trips", TRIP).expectStatus().isCreated();
        } finally {
            Services.replicated().start(Server.REPLICA);
        }
        await().atMost(TIMEOUT)
                .untilAsserted(() -> health("readiness").expectStatus().isOk());
        get("/trips").expectStatus().isOk();
    }

    @Test
    void metricsShowBothPools() {
        String metrics = new String(management
                .get()
                .uri("/actuator/prometheus")
                .exchange()
                .expectBody()
                .returnResult()
                .getResponseBodyContent());

        assertThat(metrics.lines().filter(line -> line.startsWith("hikaricp_connections_max")))
                .containsExactlyInAnyOrder(
                        "hikaricp_connections_max{application=\"perf-gate-app\",pool=\"main\"} 5.0",
                        "hikaricp_connections_max{application=\"perf-gate-app\",pool=\"replica\"} " + POOL_SIZE + ".0");
    }

    private record Statements(long onPrimary, long onReplica) {}

    private Statements statements(StatusCounters.Action action) throws SQLException {
        AtomicLong replicas = new AtomicLong();
        long primarys = new StatusCounters(onPrimary)
                .statements(() -> replicas.set(new StatusCounters(onReplica).statements(action)));
        return new Statements(primarys, replicas.get());
    }

    private void execute(String sql) throws SQLException {
        try (var statement = onReplica.createStatement()) {
            statement.execute(sql);
        }
    }

    private static long trips() {
        TripPage page = get("/trips").expectBody(TripPage.class).returnResult().getResponseBody();
        return Objects.requireNonNull(page).total();
    }

    private static void expectSeat(String status) {
        get("/concerts/schedules/1/seats").expectBody().jsonPath("$[0].status").isEqualTo(status);
    }

    private static ResponseSpec get(String uri) {
        return http.get().uri(uri).exchange();
    }

    private static ResponseSpec post(String uri, String json) {
        return http.post()
                .uri(uri)
                .contentType(MediaType.APPLICATION_JSON)
                .body(json)
                .exchange();
    }

    private static ResponseSpec health(String group) {
        return management.get().uri("/actuator/health/" + group).exchange();
    }
}
