/** Infrastructure that every module uses: clock, Redis clients, migration health and start-up failure messages. */
@NullMarked
package perfgate.app.platform;

import org.jspecify.annotations.NullMarked;
