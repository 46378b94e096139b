/** The booking of concert seats: waiting queue, concerts, reservations, payments. */
@NullMarked
package perfgate.app.ticketing;

import org.jspecify.annotations.NullMarked;
