package perfgate.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class OperationsTest extends ServiceTest {

    /** So many that they cannot take a second each. */
    private static final int FAILURES = 50;

    @Value("${spring.data.redis.timeout}")
    private Duration redisTimeout;

    @Test
    void isLiveAndReady() {
        management
                .get()
                .uri("/actuator/health/liveness")
                .exchange()
                .expectStatus()
                .isOk();
        management
                .get()
                .uri("/actuator/health/readiness")
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody()
                .jsonPath("$.components.length()")
                .isEqualTo(4)
                .jsonPath("$.components['db','migrations','readinessState','redis'].status")
                .isEqualTo(List.of("UP", "UP", "UP", "UP"));
    }

    @Test
    void theServicePortDoesNotExposeManagementEndpoints() {
        expectProblem(anonymous.get().uri("/actuator/health").exchange(), 404, "not-found");
    }

    @Test
    void isNotReadyWhileRedisIsDown() throws IOException {
        Caller caller = newCaller();
        Services.running().stop(Services.Server.REDIS);
        try {
            await().untilAsserted(() -> management
                    .get()
                    .uri("/actuator/health/readiness")
                    .exchange()
                    .expectStatus()
                    .isEqualTo(503));
            management
                    .get()
                    .uri("/actuator/health/liveness")
                    .exchange()
                    .expectStatus()
                    .isOk();
            long start = System.nanoTime();
            expectProblem(caller.get("/trips"), 503, "unavailable");
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .as("does not wait until the command times out")
                    .isLessThan(redisTimeout);
        } finally {
            Services.running().start(Services.Server.REDIS);
        }
        await().untilAsserted(() -> management
                .get()
                .uri("/actuator/health/readiness")
                .exchange()
                .expectStatus()
                .isOk());
        expectProblem(caller.get("/trips"), 401, "token-unknown");
        signIn(caller.member()).get("/trips").expectStatus().isOk();
    }

    @Test
    void answers503WhenThePoolIsExhausted() throws SQLException {
        Caller caller = newCaller();
        List<Connection> taken = new ArrayList<>();
        try {
            for (int i = 0; i < pool.getMaximumPoolSize(); i++) {
                taken.add(pool.getConnection());
            }

            expectProblem(caller.get("/trips"), 503, "unavailable");
            expectProblem(caller.post("/trips/1/days/1/sort"), 503, "unavailable");
        } finally {
            for (Connection connection : taken) {
                connection.close();
            }
        }
        caller.get("/trips").expectStatus().isOk();
    }

    @Test
    void logsAnUnexpectedFailureButHidesItFromTheCaller(CapturedOutput output) {
        redis.opsForValue().set("token:broken", "not a number");

        long start = System.nanoTime();
        for (int i = 0; i < FAILURES; i++) {
            var response = withToken("broken").get().uri("/trips").exchange();
            expectProblem(response, 500, "internal-error");
            String body = new String(response.expectBody().returnResult().getResponseBodyContent());
            assertThat(body).doesNotContain("not a number", "NumberFormat", "perfgate.app");
        }

        long seconds = Duration.ofNanos(System.nanoTime() - start).toSeconds();
        assertThat(output.getOut().split("NumberFormatException: For input string", -1).length - 1L)
                .as("stack traces of %d failures in %d s", FAILURES, seconds)
                .isBetween(1L, Math.min(seconds + 2, FAILURES - 1));
    }

    @Test
    void exposesMetrics() {
        newCaller().get("/trips").expectStatus().isOk();

        assertThat(metricNames())
                .contains(
                        "http_server_requests_seconds_count",
                        "http_server_requests_seconds_sum",
                        "http_server_requests_seconds_bucket",
                        "hikaricp_connections_pending",
                        "hikaricp_connections_active",
                        "hikaricp_connections_acquire_seconds_sum",
                        "hikaricp_connections_acquire_seconds_bucket",
                        "hikaricp_connections_usage_seconds_sum",
                        "hikaricp_connections_timeout_total",
                        "executor_queued_tasks",
                        "executor_active_threads",
                        "outbox_backlog",
                        "queue_admissions_total",
                        "queue_waiting",
                        "cache_gets_total",
                        "outbox_stuck",
                        "tomcat_threads_busy_threads",
                        "tomcat_threads_current_threads",
                        "logback_events_total",
                        "jvm_compilation_time_ms_total",
                        "jvm_gc_memory_allocated_bytes_total",
                        "jvm_gc_memory_promoted_bytes_total",
                        "jvm_gc_live_data_size_bytes",
                        "jvm_memory_used_bytes",
                        "jvm_buffer_memory_used_bytes",
                        "jvm_threads_live_threads",
                        "process_cpu_time_ns_total",
                        "process_cpu_usage",
                        "system_load_average_1m");
    }

    @Test
    void everySeriesNamesTheApplication() {
        assertThat(scrape().lines().filter(line -> !line.startsWith("#")))
                .allSatisfy(line -> assertThat(line).contains("application=\"perf-gate-app\""));
    }

    @Test
    void aHistogramHasFewBuckets() {
        newCaller().get("/trips/123456789").expectStatus().isNotFound();

        assertThat(scrape().lines()
                        .filter(line -> line.startsWith("http_server_requests_seconds_bucket"))
                        .filter(line -> line.contains(
                                "method=\"GET\",outcome=\"CLIENT_ERROR\",status=\"404\",uri=\"/trips/{tripId}\"")))
                .hasSize(10);
    }

    @Test
    void requestMetricsAreTaggedWithThePathPattern() {
        Caller caller = newCaller();
        caller.get("/trips/123456789").expectStatus().isNotFound();

        assertThat(scrape())
                .contains("uri=\"/trips/{tripId}\"", "uri=\"/members/login\"")
                .doesNotContain("123456789");
    }

    @Test
    void redisCommandsHaveNoMetersUnlessAsked() {
        newCaller().get("/trips").expectStatus().isOk();

        assertThat(metricNames()).noneMatch(name -> name.startsWith("lettuce"));
    }

    private Set<String> metricNames() {
        return scrape().lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split("[{ ]", 2)[0])
                .collect(Collectors.toSet());
    }
}
