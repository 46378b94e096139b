/** Infrastructure that every module uses: clock, Redis clients, migration health and start-up failure messages. */
@ApplicationModule(allowedDependencies = {})
@NullMarked
package perfgate.app.platform;

import org.jspecify.annotations.NullMarked;
import org.springframework.modulith.ApplicationModule;
