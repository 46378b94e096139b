package perfgate.app.outbox;

import org.springframework.modulith.events.FailedEventPublications;
import org.springframework.modulith.events.ResubmissionOptions;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Sends again what the broker did not take. */
@Component
class Redelivery {

    private final FailedEventPublications failed;
    private final Broker broker;
    private final ResubmissionOptions options;

    Redelivery(FailedEventPublications failed, Broker broker, OutboxProperties properties) {
        this.failed = failed;
        this.broker = broker;
        this.options = ResubmissionOptions.defaults().withBatchSize(properties.redeliveryBatch());
    }

    /** Only to a broker that answers: what is sent to one that is away piles up, and arrives more than once. */
    @Scheduled(fixedDelayString = "${perf-gate.outbox.redelivery-interval}")
    void run() {
        if (broker.configured() && broker.answers()) {
            failed.resubmit(options);
        }
    }
}
