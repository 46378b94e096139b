/** Sends events from the outbox (the event publication registry) to Kafka, resends failed ones, and reports its health. */
@ApplicationModule(allowedDependencies = {})
@NullMarked
package perfgate.app.outbox;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
