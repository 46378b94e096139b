package perfgate.app.problems.web;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/** Runs an action at most once per second and passes it the number of suppressed calls, so an outage cannot fill the log. */
final class OncePerSecond {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final AtomicLong lastRun = new AtomicLong(System.nanoTime() - SECOND);
    private final AtomicLong suppressed = new AtomicLong();

    void run(LongConsumer action) {
        long now = System.nanoTime();
        long last = lastRun.get();
        if (now - last >= SECOND && lastRun.compareAndSet(last, now)) {
            action.accept(suppressed.getAndSet(0));
        } else {
            suppressed.incrementAndGet();
        }
    }
}
