package perfgate.app.outbox;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * @param redeliveryInterval pause between two looks for events that did not reach the broker
 * @param redeliveryBatch how many of them are sent again at a time
 * @param crossOutInterval pause between two looks for events that reached the broker
 */
@ConfigurationProperties("perf-gate.outbox")
record OutboxProperties(
        @DefaultValue("2s") Duration redeliveryInterval,
        @DefaultValue("1000") int redeliveryBatch,
        @DefaultValue("100ms") Duration crossOutInterval) {}
