/** Stores trips and plans in the database, and orders the stops of a day. */
@NullMarked
package perfgate.app.trips.domain;

import org.jspecify.annotations.NullMarked;
