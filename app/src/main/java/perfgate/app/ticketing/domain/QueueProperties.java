package perfgate.app.ticketing.domain;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * @param admissionsPerSecond how many users the queue admits per second, and at once after a quiet time
 * @param capacity how many admitted users the service holds at the same time
 * @param length how many users wait at the same time
 * @param waitingTtl how long the queue keeps the place of a user who does not poll
 * @param visitTtl how long an admitted user may stay
 * @param keyPrefix prefix of all keys in Redis
 */
@ConfigurationProperties("perf-gate.ticketing.queue")
record QueueProperties(
        @DefaultValue("1000") int admissionsPerSecond,
        @DefaultValue("2000") int capacity,
        @DefaultValue("100000") int length,
        @DefaultValue("10m") Duration waitingTtl,
        @DefaultValue("10m") Duration visitTtl,
        @DefaultValue("queue") String keyPrefix) {

    QueueProperties {
        if (admissionsPerSecond < 1
                || capacity < 1
                || length < 1
                || !waitingTtl.isPositive()
                || !visitTtl.isPositive()) {
            throw new IllegalArgumentException("The queue's rate, capacity, length and times must be positive.");
        }
    }
}
