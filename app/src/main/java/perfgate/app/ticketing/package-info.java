/** Concert seat booking: waiting queue, concerts, reservations and payments. */
@ApplicationModule(allowedDependencies = {"members", "platform", "problems"})
@NullMarked
package perfgate.app.ticketing;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
