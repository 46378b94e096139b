package perfgate.app.ticketing.domain;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * @param admissionsPerSecond how many are let in a second, and at once after a quiet time
 * @param capacity how many can be in at the same time
 * @param waitingTtl how long a place is kept for somebody who does not ask about it
 * @param visitTtl how long somebody who was let in may stay
 * @param keyPrefix of all keys in Redis
 */
@ConfigurationProperties("perf-gate.ticketing.queue")
record QueueProperties(
        @DefaultValue("1000") int admissionsPerSecond,
        @DefaultValue("2000") int capacity,
        @DefaultValue("10m") Duration waitingTtl,
        @DefaultValue("10m") Duration visitTtl,
        @DefaultValue("queue") String keyPrefix) {

    QueueProperties {
        if (admissionsPerSecond < 1 || capacity < 1 || !waitingTtl.isPositive() || !visitTtl.isPositive()) {
            throw new IllegalArgumentException("The queue's rate, capacity and times have to be positive.");
        }
    }
}
