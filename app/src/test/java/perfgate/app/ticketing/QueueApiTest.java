package perfgate.app.ticketing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;

@Tag("redis")
class QueueApiTest extends TicketingTest {

    private static final List<String> CALLS = List.of(
            "GET /queues/order",
            "GET /concerts",
            "GET /concerts/1/schedules",
            "GET /concerts/schedules/1/seats",
            "POST /concerts/reservation",
            "POST /concerts/reservations/1/pay");

    @Test
    void admitsTheFirstVisitorAtOnce() {
        Visitor visitor = newVisitor();

        assertThat(visitor.token()).matches("[A-Za-z0-9_-]{24}");
        visitor.get("/queues/order").expectStatus().isOk().expectBody().json("{\"order\": 0}");
        visitor.get("/concerts").expectStatus().isOk();
    }

    @Test
    void joiningAgainInvalidatesTheEarlierToken() {
        Visitor earlier = newVisitor();
        Visitor current = enter(earlier.userId());

        expectProblem(earlier.get("/concerts"), 401, "token-unknown");
        current.get("/concerts").expectStatus().isOk();
    }

    @Test
    void aTokenExpires() {
        Visitor visitor = newVisitor();
        String key = "queue:token:" + visitor.token();
        assertThat(redis.getExpire(key)).isBetween(590L, 600L);

        redis.expire(key, Duration.ofMillis(50));

        await().until(() -> !redis.hasKey(key));
        expectProblem(visitor.get("/queues/order"), 401, "token-unknown");
        expectProblem(visitor.get("/concerts"), 401, "token-unknown");
    }

    @Test
    void everyCallAfterEnqueueNeedsAToken() {
        for (String call : CALLS) {
            String[] parts = call.split(" ");
            HttpMethod method = HttpMethod.valueOf(parts[0]);
            expectProblem(anonymous.method(method).uri(parts[1]).exchange(), 401, "token-missing");
            expectProblem(withAccessToken(" ").method(method).uri(parts[1]).exchange(), 401, "token-missing");
            expectProblem(
                    withAccessToken("AAAAAAAAAAAAAAAAAAAAAAAA")
                            .method(method)
                            .uri(parts[1])
                            .exchange(),
                    401,
                    "token-unknown");
        }
    }

    @Test
    void aSignInTokenIsNotAQueueToken() {
        expectProblem(
                withAccessToken(newCaller().token()).get().uri("/concerts").exchange(), 401, "token-unknown");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    {}                    | userId
                    {"userId": null}      | userId
                    {"userId": 0}         | userId
                    {"userId": -1}        | userId
                    {"userId": "many"}    | userId
                    {"userId": [1]}       | userId
                    """)
    void listsTheInvalidFieldsOfAnEnqueue(String json, String field) {
        expectProblem(enqueue(bearer(1), json), 400, "invalid-request", field);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{", "userId=1", "[", ""})
    void rejectsMalformedJson(String json) {
        expectProblem(enqueue(bearer(1), json), 400, "malformed-request");
    }

    @Test
    void rejectsALargeBody() {
        String json = "{\"userId\": 1, \"more\": \"%s\"}".formatted("x".repeat(100_000));

        expectProblem(enqueue(bearer(1), json), 400, "malformed-request");
    }

    @Test
    void onlyTheMemberJoinsTheQueueAsThatMember() {
        Member member = newMember();
        String asMember = "{\"userId\": %d}".formatted(member.id());

        for (String json : List.of(asMember, "{")) {
            expectProblem(enqueue("unknown", json), 401, "token-unknown");
            expectProblem(
                    anonymous
                            .post()
                            .uri("/queues/enqueue")
                            .contentType(MediaType.APPLICATION_JSON)
                            .body(json)
                            .exchange(),
                    401,
                    "token-missing");
        }
        expectProblem(enqueue(bearer(newMember().id()), asMember), 403, "token-of-another");
        assertThat(redis.hasKey("queue:user:" + member.id())).isFalse();
    }

    @Test
    void aPollIsOneRedisRoundTrip() {
        int polls = 200;
        Visitor visitor = newVisitor();
        visitor.get("/queues/order").expectStatus().isOk();

        long before = reads();
        for (int i = 0; i < polls; i++) {
            visitor.get("/queues/order").expectStatus().isOk();
        }

        // The upper bound allows for this query and for the clients' keep-alive messages.
        assertThat(reads() - before).isBetween((long) polls, polls + polls / 10L);
    }

    /** How often Redis read from a client, which is one round trip each. */
    private long reads() {
        Properties stats = redis.execute((RedisCallback<Properties>)
                connection -> connection.serverCommands().info("stats"));
        return Long.parseLong(stats.getProperty("total_reads_processed"));
    }
}
