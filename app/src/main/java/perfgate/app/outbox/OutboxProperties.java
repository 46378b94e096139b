package perfgate.app.outbox;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * @param redeliveryInterval pause between two attempts to resend events that did not reach the broker, and the first pause
 *     of an event that was resent in vain
 * @param redeliveryBatch how many events one attempt resends
 * @param cleanupInterval pause between two deletions of events that reached the broker
 */
@ConfigurationProperties("perf-gate.outbox")
record OutboxProperties(
        @DefaultValue("2s") Duration redeliveryInterval,
        @DefaultValue("1000") int redeliveryBatch,
        @DefaultValue("100ms") Duration cleanupInterval) {}
