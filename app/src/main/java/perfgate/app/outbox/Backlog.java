package perfgate.app.outbox;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Counts the events in the outbox for {@code outbox.backlog}, and for {@code outbox.stuck} those that failed so often that
 * their pauses no longer grow. Reading the metrics therefore needs no connection.
 */
@Component
class Backlog {

    private final JdbcClient jdbc;
    private final AtomicLong events = new AtomicLong();
    private final AtomicLong stuck = new AtomicLong();

    Backlog(JdbcClient jdbc, MeterRegistry meters) {
        this.jdbc = jdbc;
        meters.gauge("outbox.backlog", events);
        meters.gauge("outbox.stuck", stuck);
    }

    @Scheduled(fixedDelayString = "${perf-gate.outbox.redelivery-interval}")
    void count() {
        jdbc.sql("SELECT COUNT(*), COUNT(CASE WHEN COMPLETION_ATTEMPTS >= ? THEN 1 END) FROM EVENT_PUBLICATION")
                .param(Outbox.STUCK_ATTEMPTS)
                .query(row -> {
                    events.set(row.getLong(1));
                    stuck.set(row.getLong(2));
                });
    }
}
