package perfgate.app.outbox;

import org.springframework.modulith.events.FailedEventPublications;
import org.springframework.modulith.events.ResubmissionOptions;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Resends events that the broker did not accept. */
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

    /** Resends only if the broker answers. Otherwise events would pile up in the producer and arrive more than once. */
    @Scheduled(fixedDelayString = "${perf-gate.outbox.redelivery-interval}")
    void run() {
        if (broker.configured() && broker.checkAvailable()) {
            failed.resubmit(options);
        }
    }
}
