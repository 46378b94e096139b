package perfgate.app.ticketing.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import perfgate.app.Concurrently;
import perfgate.app.ticketing.AccessToken;
import perfgate.app.ticketing.TicketingTest;
import perfgate.app.ticketing.domain.WaitingQueue.State;

@Tag("redis")
class WaitingQueueTest extends TicketingTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration SHORT = Duration.ofMillis(200);

    private final String prefix = UUID.randomUUID().toString();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    @Test
    void admitsUpToItsCapacityInOrder() {
        WaitingQueue queue = queue(1000, 2, LONG, LONG);
        List<AccessToken> tokens = enqueue(queue, 5);

        assertThat(orders(queue, tokens)).containsExactly(0L, 0L, 1L, 2L, 3L);
        assertThat(queue.visitor(tokens.get(1))).contains(new WaitingQueue.Visitor(State.ADMITTED, 2));
        assertThat(queue.visitor(tokens.get(2))).contains(new WaitingQueue.Visitor(State.WAITING, 3));

        queue.leave(tokens.get(0));

        assertThat(orders(queue, tokens).subList(2, 5)).containsExactly(0L, 1L, 2L);
        assertThat(queue.visitor(tokens.get(0))).contains(new WaitingQueue.Visitor(State.PAID, 1));
    }

    @Test
    void admitsAtItsRate() {
        WaitingQueue queue = queue(2, 1000, LONG, LONG);
        long start = System.nanoTime();
        List<AccessToken> tokens = enqueue(queue, 8);

        assertThat(orders(queue, tokens).subList(0, 2)).containsExactly(0L, 0L);
        await().until(() -> queue.order(tokens.getLast()).equals(OptionalLong.of(0)));

        // The queue admits two at once, and six more at two per second.
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(2900));
    }

    @Test
    void aVisitThatExpiresFreesItsPlace() {
        WaitingQueue queue = queue(1000, 1, LONG, LONG);
        List<AccessToken> tokens = enqueue(queue, 2);
        assertThat(orders(queue, tokens)).containsExactly(0L, 1L);

        // Shortens the visits that have begun.
        WaitingQueue shorter = queue(1000, 1, LONG, SHORT);
        await().until(() -> shorter.order(tokens.get(1)).equals(OptionalLong.of(0)));

        await().until(() -> shorter.order(tokens.get(0)).isEmpty());
    }

    @Test
    void aUserWhoStopsPollingLosesTheTurn() {
        WaitingQueue queue = queue(1000, 1, LONG, LONG.multipliedBy(10));
        List<AccessToken> tokens = enqueue(queue, 3);
        AccessToken patient = tokens.get(2);
        assertThat(redis.getExpire(keyOf(tokens.get(1)))).isBetween(1L, LONG.toSeconds());

        redis.expire(keyOf(patient), LONG.dividedBy(2));
        assertThat(queue.order(patient)).isPresent();
        assertThat(redis.getExpire(keyOf(patient)))
                .as("polling keeps the place")
                .isBetween(LONG.toSeconds() / 2 + 1, LONG.toSeconds());

        // As if the second user had not polled for that time.
        redis.expire(keyOf(tokens.get(1)), Duration.ofMillis(1));
        await().until(() -> queue.visitor(tokens.get(1)).isEmpty());
        queue.leave(tokens.get(0));

        assertThat(queue.order(patient)).hasValue(0);
    }

    @Test
    void leavingTwiceFreesOnePlace() {
        WaitingQueue queue = queue(1000, 1, LONG, LONG);
        List<AccessToken> tokens = enqueue(queue, 3);

        queue.leave(tokens.get(0));
        queue.leave(tokens.get(0));

        assertThat(orders(queue, tokens)).containsExactly(0L, 0L, 1L);
    }

    @Test
    void admitsACrowdUpToItsCapacity() throws Exception {
        WaitingQueue queue = queue(1000, 10, LONG, LONG);
        LongStream.Builder users = LongStream.builder();
        LongStream.rangeClosed(1, 50).forEach(users::add);
        var next = users.build().iterator();

        List<AccessToken> tokens = Concurrently.call(50, () -> {
            synchronized (next) {
                return enter(queue, next.nextLong());
            }
        });

        assertThat(orders(queue, tokens))
                .containsExactlyInAnyOrderElementsOf(LongStream.range(-9, 41)
                        .map(place -> Math.max(place, 0))
                        .boxed()
                        .toList());
    }

    @Test
    void holdsALimitedNumberOfWaitingUsers() {
        WaitingQueue queue = queue(1000, 1, 2, LONG, LONG);
        List<AccessToken> tokens = enqueue(queue, 3);

        assertThat(queue.enqueue(4)).isEmpty();
        assertThat(queue.enqueue(3)).as("a user who waits already").isPresent();

        queue.leave(tokens.get(0));
        assertThat(queue.enqueue(4)).as("the first who waited is in").isPresent();
        assertThat(queue.enqueue(1)).as("a user whose visit is over").isEmpty();
    }

    @Test
    void usersWhoLeftDoNotKeepTheQueueFull() {
        WaitingQueue queue = queue(1000, 1, 2, SHORT, SHORT);
        enqueue(queue, 3);

        await().until(() -> queue.enqueue(4).isPresent());
    }

    @Test
    void goesOnAdmittingAfterTheClockWasSetBack() {
        WaitingQueue queue = queue(1000, 1, LONG, LONG);
        List<AccessToken> tokens = enqueue(queue, 2);
        assertThat(orders(queue, tokens)).containsExactly(0L, 1L);
        // What a clock set back by an hour leaves behind.
        long inAnHour = System.currentTimeMillis() + Duration.ofHours(1).toMillis();
        redis.opsForHash().putAll(prefix + ":allowance", Map.of("at", Long.toString(inAnHour), "left", "0"));
        redis.opsForZSet().add(prefix + ":admitted", tokens.get(0).value(), inAnHour);

        WaitingQueue shorter = queue(1000, 1, LONG, SHORT);
        await().until(() -> shorter.order(tokens.get(1)).equals(OptionalLong.of(0)));
    }

    @Test
    void admitsNoCrowdAtOnceAfterTheClockWasSetForward() {
        int rate = 3;
        WaitingQueue queue = queue(rate, 1000, LONG, LONG);
        long start = System.nanoTime();
        List<AccessToken> tokens = enqueue(queue, 50);
        // What a clock set forward by an hour leaves behind: the last admission seems to be an hour ago.
        long anHourAgo = System.currentTimeMillis() - Duration.ofHours(1).toMillis();
        redis.opsForHash().putAll(prefix + ":allowance", Map.of("at", Long.toString(anHourAgo), "left", "0"));

        long waiting = orders(queue, tokens.subList(49, 50)).getFirst();
        long seconds =
                Duration.ofNanos(System.nanoTime() - start).plusSeconds(1).toSeconds();

        // What a second allows at the start and again after the step, and the rate meanwhile; not an hour's admissions.
        assertThat(50 - waiting).isLessThanOrEqualTo(rate * (2 + seconds));
    }

    @Test
    void aCallPassesOverALimitedNumberOfUsersWhoLeft() {
        WaitingQueue queue = queue(1000, 1, LONG, LONG);
        AccessToken first = enter(queue, 1);
        for (int place = 0; place < 250; place++) {
            redis.opsForZSet().add(prefix + ":waiting", "gone-" + place, -place);
        }
        queue.leave(first);
        AccessToken last = enter(queue, 2);

        assertThat(redis.opsForZSet().size(prefix + ":waiting")).isEqualTo(151);
        await().until(() -> queue.order(last).equals(OptionalLong.of(0)));
    }

    @Test
    void metersItsAdmissionsAndThoseWhoWait() {
        WaitingQueue queue = queue(1000, 2, LONG, LONG);
        List<AccessToken> tokens = enqueue(queue, 5);
        assertThat(meters.get("queue.admissions").counter().count()).isEqualTo(2);
        assertThat(meters.get("queue.waiting").gauge().value()).isEqualTo(3);

        queue.leave(tokens.get(0));
        queue.order(tokens.get(4));

        assertThat(meters.get("queue.admissions").counter().count()).isEqualTo(3);
        assertThat(meters.get("queue.waiting").gauge().value()).isEqualTo(2);
    }

    private WaitingQueue queue(int rate, int capacity, Duration waitingTtl, Duration visitTtl) {
        return queue(rate, capacity, 1000, waitingTtl, visitTtl);
    }

    private WaitingQueue queue(int rate, int capacity, int length, Duration waitingTtl, Duration visitTtl) {
        return new WaitingQueue(
                redis, new QueueProperties(rate, capacity, length, waitingTtl, visitTtl, prefix), meters);
    }

    private String keyOf(AccessToken token) {
        return prefix + ":token:" + token.value();
    }

    private static AccessToken enter(WaitingQueue queue, long user) {
        return queue.enqueue(user).orElseThrow();
    }

    private static List<AccessToken> enqueue(WaitingQueue queue, int count) {
        return IntStream.rangeClosed(1, count)
                .mapToObj(user -> enter(queue, user))
                .toList();
    }

    private static List<Long> orders(WaitingQueue queue, List<AccessToken> tokens) {
        return tokens.stream().map(token -> queue.order(token).orElseThrow()).toList();
    }
}
