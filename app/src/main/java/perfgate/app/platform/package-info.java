/** What every module stands on: clock, Redis client, migrations' health, failures at boot. */
@NullMarked
package perfgate.app.platform;

import org.jspecify.annotations.NullMarked;
