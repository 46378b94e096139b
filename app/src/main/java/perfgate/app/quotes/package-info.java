/** Quotes, the smallest thing that a service can answer from a database. */
@ApplicationModule(allowedDependencies = {"platform", "problems"})
@NullMarked
package perfgate.app.quotes;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
