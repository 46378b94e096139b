/** Keeps queue, locks and cache in Redis, and seats, reservations and payments in the database. */
@NullMarked
package perfgate.app.ticketing.domain;

import org.jspecify.annotations.NullMarked;
