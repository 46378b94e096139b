package perfgate.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalManagementPort;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.springframework.test.web.servlet.client.RestTestClient.ResponseSpec;
import perfgate.app.members.Session;

/**
 * Calls the running service over HTTP, on a real database, Redis and Kafka, at noon of a fixed day. Tests with this tag
 * also run on MySQL.
 */
@Tag("database")
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
@Import(ServiceTest.FixedClock.class)
@TestPropertySource(
        properties = {
            // Background jobs would add statements to those that a test counts. Tests of a job run it explicitly.
            "perf-gate.ticketing.expiry-interval=1h",
            "perf-gate.outbox.redelivery-interval=1h",
            "spring.modulith.events.staleness.check-interval=1h",
            // A busy machine may stall any server for longer than the deployed service waits.
            "spring.data.redis.timeout=30s",
            "spring.datasource.hikari.connection-timeout=10000",
            "spring.kafka.producer.properties.delivery.timeout.ms=60000",
            "spring.kafka.producer.properties.request.timeout.ms=50000",
            "spring.kafka.producer.properties.max.block.ms=60000"
        })
public abstract class ServiceTest {

    protected static final LocalDate TODAY = LocalDate.of(2026, 5, 10);
    protected static final String PASSWORD = "correct horse";

    private static final String PASSWORD_HASH = new BCryptPasswordEncoder(4).encode(PASSWORD);
    private static final AtomicInteger MEMBERS = new AtomicInteger();

    static {
        Awaitility.setDefaultTimeout(Duration.ofMinutes(1));
    }

    @Autowired
    protected JdbcClient jdbc;

    @Autowired
    protected StringRedisTemplate redis;

    protected HikariDataSource pool;

    @LocalServerPort
    private int port;

    @LocalManagementPort
    private int managementPort;

    protected RestTestClient anonymous;
    protected RestTestClient management;

    protected record Member(long id, String email) {}

    /** A signed-in member and the calls made as that member. */
    protected record Caller(Member member, String token, RestTestClient http) {

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

        public ResponseSpec post(String uri) {
            return http.post().uri(uri).exchange();
        }

        public ResponseSpec put(String uri, String json) {
            return http.put()
                    .uri(uri)
                    .contentType(MediaType.APPLICATION_JSON)
                    .body(json)
                    .exchange();
        }

        public ResponseSpec delete(String uri) {
            return http.delete().uri(uri).exchange();
        }
    }

    @DynamicPropertySource
    static void environment(DynamicPropertyRegistry registry) {
        Services.running().environment().forEach((name, value) -> registry.add(name, () -> value));
    }

    @Autowired
    void findPool(DataSource dataSource) throws SQLException {
        pool = dataSource.unwrap(HikariDataSource.class);
    }

    @BeforeEach
    void connect() {
        anonymous = RestTestClient.bindToServer()
                .baseUrl("http://127.0.0.1:" + port)
                .build();
        management = RestTestClient.bindToServer()
                .baseUrl("http://127.0.0.1:" + managementPort)
                .build();
        // A connection opened in the background would add statements to those that a test counts.
        jdbc.sql("SELECT 1").query(Integer.class).single();
        await().pollDelay(Duration.ZERO)
                .until(() -> pool.getHikariPoolMXBean().getIdleConnections() == pool.getMaximumPoolSize());
    }

    protected Member newMember() {
        String email = "member" + MEMBERS.incrementAndGet() + "@example.com";
        GeneratedKeyHolder keys = new GeneratedKeyHolder();
        jdbc.sql("INSERT INTO members (email, password_hash, name, created_at) VALUES (?, ?, 'A member', NOW(3))")
                .params(email, PASSWORD_HASH)
                .update(keys, "id");
        return new Member(Objects.requireNonNull(keys.getKey()).longValue(), email);
    }

    protected Caller newCaller() {
        return signIn(newMember());
    }

    protected Caller signIn(Member member) {
        return signIn(member, PASSWORD);
    }

    protected Caller signIn(Member member, String password) {
        Session session = login(member.email(), password)
                .expectStatus()
                .isOk()
                .expectBody(Session.class)
                .returnResult()
                .getResponseBody();
        assertThat(session).isNotNull();
        return new Caller(member, session.token(), withToken(session.token()));
    }

    protected ResponseSpec login(String email, String password) {
        return anonymous
                .post()
                .uri("/members/login")
                .contentType(MediaType.APPLICATION_JSON)
                .body("{\"email\": \"%s\", \"password\": \"%s\"}".formatted(email, password))
                .exchange();
    }

    protected RestTestClient withToken(String token) {
        return anonymous
                .mutate()
                .defaultHeader(HttpHeaders.AUTHORIZATION, "Bearer " + token)
                .build();
    }

    /** What Prometheus reads. */
    protected String scrape() {
        byte[] body = management
                .get()
                .uri("/actuator/prometheus")
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody()
                .returnResult()
                .getResponseBodyContent();
        return new String(Objects.requireNonNull(body));
    }

    /** Expects a problem response of this type that lists exactly these fields. */
    protected static void expectProblem(ResponseSpec response, int status, String type, String... fields) {
        response.expectStatus().isEqualTo(status);
        response.expectHeader().contentType(MediaType.APPLICATION_PROBLEM_JSON);
        var body = response.expectBody()
                .jsonPath("$.type")
                .isEqualTo("/problems/" + type)
                .jsonPath("$.status")
                .isEqualTo(status)
                .jsonPath("$.detail")
                .isNotEmpty();
        if (fields.length > 0) {
            body.jsonPath("$.errors[*].field")
                    .value(
                            List.class,
                            named -> assertThat(new TreeSet<Object>(named))
                                    .containsExactlyInAnyOrder((Object[]) fields));
        }
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class FixedClock {

        @Bean
        @Primary
        Clock noon() {
            return Clock.fixed(Instant.parse(TODAY + "T12:00:00Z"), ZoneOffset.UTC);
        }
    }
}
