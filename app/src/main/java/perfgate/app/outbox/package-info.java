/** From the event publication registry, the outbox, to Kafka: sends, sends again what did not arrive, tells whether it can. */
@NullMarked
package perfgate.app.outbox;

import org.jspecify.annotations.NullMarked;
