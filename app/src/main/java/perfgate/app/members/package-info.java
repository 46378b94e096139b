/** Sign-in and the identity behind a bearer token. */
@ApplicationModule(allowedDependencies = {"platform", "problems"})
@NullMarked
package perfgate.app.members;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
