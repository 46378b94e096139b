/** Stores members in the database, and tokens and member keys in Redis. */
@NullMarked
package perfgate.app.members.domain;

import org.jspecify.annotations.NullMarked;
