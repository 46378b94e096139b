/** Trips and plans in the database, and the order of a day's stops. */
@NullMarked
package perfgate.app.trips.domain;

import org.jspecify.annotations.NullMarked;
