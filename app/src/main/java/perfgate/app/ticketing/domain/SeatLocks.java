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
 * One lock per seat, shared by all instances of the service. The locks keep a crowd that wants the same seat off the
 * database. Only the database decides who gets the seat.
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

    /** Runs the action unless another user holds the seat's lock. Waiting is pointless, since the seat will be taken. */
    <T> Optional<T> tryWith(long seatId, Supplier<T> action) {
        RLock lock = redisson.getLock("seat-lock:" + seatId);
        if (!acquire(lock)) {
            return Optional.empty();
        }
        try {
            return Optional.of(action.get());
        } finally {
            release(lock, seatId);
        }
    }

    private boolean acquire(RLock lock) {
        try {
            return lock.tryLock(0, properties.seatLockTtl().toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while acquiring a seat lock", e);
        }
    }

    /** A failed release must not fail the request, because the action is already committed and the lock expires. */
    private void release(RLock lock, long seatId) {
        try {
            lock.unlock();
        } catch (RedisException | IllegalMonitorStateException e) {
            log.warn("Could not release the lock of seat {}; it will expire: {}", seatId, e.toString());
        }
    }
}
