package perfgate.app.ticketing.domain;

import java.time.Clock;
import java.time.Instant;
import java.util.List;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Frees seats that were not paid in time. Any number of instances may run it at once. */
@Component
class ReservationExpiry {

    private static final int BATCH_SIZE = 500;

    private final ReservationRepository reservations;
    private final Clock clock;

    ReservationExpiry(ReservationRepository reservations, Clock clock) {
        this.reservations = reservations;
        this.clock = clock;
    }

    @Scheduled(fixedDelayString = "${perf-gate.ticketing.expiry-interval}")
    void run() {
        Instant now = clock.instant();
        List<Long> due;
        do {
            due = reservations.due(now, BATCH_SIZE);
            if (!due.isEmpty()) {
                reservations.expire(due);
            }
        } while (due.size() == BATCH_SIZE);
    }
}
