/** Concert seat booking: waiting queue, concerts, reservations and payments. */
@NullMarked
package perfgate.app.ticketing;

import org.jspecify.annotations.NullMarked;
