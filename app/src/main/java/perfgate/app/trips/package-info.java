/** A member's trips and the plans of each day. */
@ApplicationModule(allowedDependencies = {"members", "platform", "problems"})
@NullMarked
package perfgate.app.trips;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
