/** Queue, lock and cache in Redis; seats, reservations and payments in the database. */
@NullMarked
package perfgate.app.ticketing.domain;

import org.jspecify.annotations.NullMarked;
