/** A member's trips and the plans of each day. */
@NullMarked
package perfgate.app.trips;

import org.jspecify.annotations.NullMarked;
