package perfgate.app.outbox;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.stereotype.Component;

/** Reports up if no broker is configured, because the service then depends on none. */
@Component
class KafkaHealthIndicator extends AbstractHealthIndicator {

    private final Broker broker;

    KafkaHealthIndicator(Broker broker) {
        super("The broker does not answer");
        this.broker = broker;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) throws Exception {
        if (broker.configured()) {
            builder.up().withDetail("nodes", broker.nodes());
        } else {
            builder.up().withDetail("broker", "none configured: events wait in the outbox");
        }
    }
}
