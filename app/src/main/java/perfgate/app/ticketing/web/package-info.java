/** The HTTP API of the booking, and the fan as a controller argument. */
@NullMarked
package perfgate.app.ticketing.web;

import org.jspecify.annotations.NullMarked;
