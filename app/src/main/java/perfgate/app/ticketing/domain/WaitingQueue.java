package perfgate.app.ticketing.domain;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.stereotype.Component;
import perfgate.app.ticketing.AccessToken;

/**
 * The waiting queue in front of the booking. A waiting user costs one Redis command per poll and no database work. The
 * queue admits users up to a rate and up to a capacity, whichever is reached first.
 */
@Component
class WaitingQueue {

    /** The owner of a token. */
    record Visitor(State state, long userId) {}

    enum State {
        WAITING,
        ADMITTED,
        /** The visit is over and holds no place, but the user can still fetch the payment again. */
        PAID
    }

    private static final int TOKEN_BYTES = 18;
    /** Loaded as text, because Spring checks a script resource for changes on every call. */
    @SuppressWarnings("rawtypes")
    private static final RedisScript<List> SCRIPT =
            RedisScript.of(text("perfgate/app/ticketing/queue.lua"), List.class);

    private final SecureRandom random = new SecureRandom();
    private final StringRedisTemplate redis;
    private final QueueProperties properties;
    private final Counter admissions;
    private final AtomicLong waiting = new AtomicLong();

    WaitingQueue(StringRedisTemplate redis, QueueProperties properties, MeterRegistry meters) {
        this.redis = redis;
        this.properties = properties;
        this.admissions = meters.counter("queue.admissions");
        meters.gauge("queue.waiting", waiting);
    }

    /** The user's new token; empty if the queue is full. */
    Optional<AccessToken> enqueue(long userId) {
        byte[] bytes = new byte[TOKEN_BYTES];
        random.nextBytes(bytes);
        String token = Base64.getUrlEncoder().encodeToString(bytes);
        return run("enqueue", Long.toString(userId), token) < 0
                ? Optional.empty()
                : Optional.of(new AccessToken(token));
    }

    /** 0 for an admitted user, otherwise the place in the queue; empty if the token is unknown. */
    OptionalLong order(AccessToken token) {
        long order = run("order", token.value(), "");
        return order < 0 ? OptionalLong.empty() : OptionalLong.of(order);
    }

    Optional<Visitor> visitor(AccessToken token) {
        String value = redis.opsForValue().get(properties.keyPrefix() + ":token:" + token.value());
        if (value == null) {
            return Optional.empty();
        }
        State state = switch (value.charAt(0)) {
            case 'w' -> State.WAITING;
            case 'a' -> State.ADMITTED;
            case 'p' -> State.PAID;
            default -> throw new IllegalStateException("Unknown state in a queue token: \"" + value + "\"");
        };
        return Optional.of(new Visitor(state, Long.parseLong(value.substring(2))));
    }

    /** Frees the user's place for the next one in the queue. */
    void leave(AccessToken token) {
        run("leave", token.value(), "");
    }

    private static String text(String resource) {
        try {
            return new ClassPathResource(resource).getContentAsString(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private long run(String command, String argument, String token) {
        List<?> answer = redis.execute(
                SCRIPT,
                List.of(properties.keyPrefix()),
                command,
                argument,
                Integer.toString(properties.admissionsPerSecond()),
                Integer.toString(properties.capacity()),
                Long.toString(properties.waitingTtl().toMillis()),
                Long.toString(properties.visitTtl().toMillis()),
                token,
                Integer.toString(properties.length()));
        long[] numbers = Objects.requireNonNull(answer).stream()
                .mapToLong(number -> (Long) number)
                .toArray();
        admissions.increment(numbers[1]);
        if (numbers[2] >= 0) {
            waiting.set(numbers[2]);
        }
        return numbers[0];
    }
}
