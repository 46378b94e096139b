package perfgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.core.io.FileSystemResource;
import org.springframework.jdbc.datasource.init.ScriptUtils;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.client.RestTestClient.ResponseSpec;
import perfgate.app.ticketing.TicketingTest;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** Loads the whole seed into a schema of the test database, and checks how many rows each call reads. */
@DirtiesContext
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SeedTest extends TicketingTest {

    private static final String SCHEMA = "seeded";
    private static final Path SEED = Path.of("..", "db", "seed");

    /** More than any call needs, and far fewer than the smallest table that a call without its index would scan. */
    private static final long MAX_ROWS = 1_000;

    /** This member has trips, and no other test puts this e-mail into Redis. */
    private static final Member MEMBER = new Member(4321, "member4321@example.com");

    private static final String TRIP = "/trips/" + (4 * (MEMBER.id() - 1) + 1);
    private static final long SCHEDULE = 7777;

    private static final String NEW_PLAN = "{\"day\":1,\"place\":\"P\",\"latitude\":1,\"longitude\":1}";

    private final Map<String, Check> found = new TreeMap<>();

    private record Check(long rows, String checksum) {}

    @DynamicPropertySource
    static void schema(DynamicPropertyRegistry registry) throws SQLException {
        execute("CREATE DATABASE " + SCHEMA);
        registry.add("spring.datasource.hikari.catalog", () -> SCHEMA);
        registry.add("spring.flyway.default-schema", () -> SCHEMA);
    }

    @BeforeAll
    void seed() throws SQLException, IOException {
        try (Connection connection = Services.running().connect();
                Statement statement = connection.createStatement()) {
            connection.setCatalog(SCHEMA);
            // The seeder in db/ does the same.
            statement.execute("SET unique_checks = 0, foreign_key_checks = 0");
            for (Path script : scripts()) {
                ScriptUtils.executeSqlScript(connection, new FileSystemResource(script));
            }
            // Read the checksums now, before a test changes any data.
            try (ResultSet row = statement.executeQuery(Files.readString(SEED.resolve("verify.sql")))) {
                while (row.next()) {
                    found.put(row.getString(1), new Check(row.getLong(2), row.getString(3)));
                }
            }
        }
    }

    @AfterAll
    void drop() throws SQLException {
        execute("DROP DATABASE " + SCHEMA);
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = Services.running().connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static List<Path> scripts() throws IOException {
        try (Stream<Path> files = Files.list(SEED)) {
            return files.filter(file -> file.getFileName().toString().matches("\\d\\d-.*\\.sql"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void theSeedHasTheExpectedRowsAndChecksums() throws IOException {
        Map<String, Check> expected = JsonMapper.shared()
                .readValue(
                        Files.readString(SEED.resolve("expected.json")),
                        new TypeReference<TreeMap<String, Check>>() {});
        // This entry counts keys in Redis, which another part of the seeder creates.
        expected.remove("redis");

        assertThat(found).isEqualTo(expected);
    }

    @Test
    void noCallScansAWholeTable() throws SQLException {
        Caller caller = signIn(MEMBER, "password");
        Visitor visitor = enter(MEMBER.id());
        long firstSeat = 150 * (SCHEDULE - 1) + 1;
        forgetConcerts();

        readsFewRows(() -> login(MEMBER.email(), "password"));
        readsFewRows(() -> caller.get("/trips"));
        readsFewRows(() -> caller.get(TRIP));
        readsFewRows(() -> caller.get(TRIP + "/plans"));
        readsFewRows(() -> caller.post(TRIP + "/plans", NEW_PLAN));
        readsFewRows(() -> caller.post(TRIP + "/days/1/sort"));
        readsFewRows(() -> caller.delete(TRIP));
        readsFewRows(() -> anonymous.get().uri("/quotes/random").exchange());
        readsFewRows(() -> visitor.get("/concerts"));
        readsFewRows(() -> visitor.get("/concerts/77/schedules"));
        readsRows(() -> visitor.get("/concerts/77/schedules?from=2098-04-10"), 10);
        readsFewRows(() -> visitor.get("/concerts/schedules/" + SCHEDULE + "/seats"));
        readsFewRows(() -> visitor.reserve(firstSeat));
        long reservation = reserved(visitor, firstSeat + 1);
        readsFewRows(() -> visitor.pay(reservation));
    }

    /** Tests on other databases cache their concerts under the same keys. */
    @AfterEach
    void forgetConcerts() {
        redis.delete(redis.keys("concerts*"));
        redis.delete(redis.keys("schedules*"));
    }

    private void readsFewRows(Supplier<ResponseSpec> call) throws SQLException {
        readsRows(call, MAX_ROWS);
    }

    private void readsRows(Supplier<ResponseSpec> call, long most) throws SQLException {
        try (StatusCounters counters = new StatusCounters()) {
            long rows = counters.rowsRead(() -> call.get().expectStatus().is2xxSuccessful());
            assertThat(rows).isBetween(1L, most);
        }
    }
}
