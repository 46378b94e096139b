/** The HTTP API of trips and plans. */
@NullMarked
package perfgate.app.trips.web;

import org.jspecify.annotations.NullMarked;
