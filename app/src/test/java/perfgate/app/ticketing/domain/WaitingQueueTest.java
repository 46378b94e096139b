package perfgate.app.ticketing.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import perfgate.app.Concurrently;
import perfgate.app.ticketing.AccessToken;
import perfgate.app.ticketing.TicketingTest;
import perfgate.app.ticketing.domain.WaitingQueue.State;

class WaitingQueueTest extends TicketingTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration SHORT = Duration.ofMillis(200);

    private final String prefix = UUID.randomUUID().toString();

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
        await().atMost(Duration.ofSeconds(20))
                .until(() -> queue.order(tokens.getLast()).equals(OptionalLong.of(0)));

        // The queue admits two at once, and six more at two per second.
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(2900));
    }

    @Test
    void aVisitThatExpiresFreesItsPlace() {
        WaitingQueue queue = queue(1000, 1, LONG, SHORT);
        List<AccessToken> tokens = enqueue(queue, 2);
        assertThat(orders(queue, tokens)).containsExactly(0L, 1L);

        await().atMost(Duration.ofSeconds(5))
                .until(() -> queue.order(tokens.get(1)).equals(OptionalLong.of(0)));

        assertThat(queue.order(tokens.get(0))).isEmpty();
    }

    @Test
    void aUserWhoStopsPollingLosesTheTurn() {
        WaitingQueue queue = queue(1000, 1, SHORT, LONG);
        List<AccessToken> tokens = enqueue(queue, 3);
        AccessToken patient = tokens.get(2);

        // Polling keeps the place. The second user does not poll, so that place expires.
        await().pollInterval(Duration.ofMillis(20))
                .atMost(Duration.ofSeconds(5))
                .until(() -> {
                    assertThat(queue.order(patient)).isPresent();
                    return queue.visitor(tokens.get(1)).isEmpty();
                });
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
                return queue.enqueue(next.nextLong());
            }
        });

        assertThat(orders(queue, tokens))
                .containsExactlyInAnyOrderElementsOf(LongStream.range(-9, 41)
                        .map(place -> Math.max(place, 0))
                        .boxed()
                        .toList());
    }

    private WaitingQueue queue(int rate, int capacity, Duration waitingTtl, Duration visitTtl) {
        return new WaitingQueue(redis, new QueueProperties(rate, capacity, waitingTtl, visitTtl, prefix));
    }

    private static List<AccessToken> enqueue(WaitingQueue queue, int count) {
        return IntStream.rangeClosed(1, count).mapToObj(queue::enqueue).toList();
    }

    private static List<Long> orders(WaitingQueue queue, List<AccessToken> tokens) {
        return tokens.stream().map(token -> queue.order(token).orElseThrow()).toList();
    }
}
