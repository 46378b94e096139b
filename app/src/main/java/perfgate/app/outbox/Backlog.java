package perfgate.app.outbox;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Counts the events in the outbox for {@code outbox.backlog}, so that reading the metrics needs no connection. */
@Component
class Backlog {

    private final JdbcClient jdbc;
    private final AtomicLong events = new AtomicLong();

    Backlog(JdbcClient jdbc, MeterRegistry meters) {
        this.jdbc = jdbc;
        meters.gauge("outbox.backlog", events);
    }

    @Scheduled(fixedDelayString = "${perf-gate.outbox.redelivery-interval}")
    void count() {
        events.set(jdbc.sql("SELECT COUNT(*) FROM EVENT_PUBLICATION")
                .query(Long.class)
                .single());
    }
}
