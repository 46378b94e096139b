package perfgate.app.ticketing.domain;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * A lock a seat, over all instances of the service. It keeps a crowd that wants the same seat off the database, which alone
 * decides who gets it.
 */
@Component
class SeatLocks {

    private static final Logger log = LoggerFactory.getLogger(SeatLocks.class);

    private final RedissonClient redisson;
    private final TicketingProperties properties;

    SeatLocks(RedissonClient redisson, TicketingProperties properties) {
        this.redisson = redisson;
        this.properties = properties;
    }

    /** Runs the action unless somebody else has the seat at this moment. Waiting for it would only find it taken. */
    <T> Optional<T> tryWith(long seatId, Supplier<T> action) {
        RLock lock = redisson.getLock("seat-lock:" + seatId);
        if (!taken(lock)) {
            return Optional.empty();
        }
        try {
            return Optional.of(action.get());
        } finally {
            release(lock, seatId);
        }
    }

    private boolean taken(RLock lock) {
        try {
            return lock.tryLock(0, properties.seatLockTtl().toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while taking a lock", e);
        }
    }

    /** What the action did is in the database by now and stands: a lock that cannot be released ends by itself. */
    private void release(RLock lock, long seatId) {
        try {
            lock.unlock();
        } catch (RedisException | IllegalMonitorStateException e) {
            log.warn("The lock of seat {} was not released, it ends by itself: {}", seatId, e.toString());
        }
    }
}
