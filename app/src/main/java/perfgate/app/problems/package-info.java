/** Error responses as RFC 9457 problem details with a stable type. */
@ApplicationModule(allowedDependencies = {})
@NullMarked
package perfgate.app.problems;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
