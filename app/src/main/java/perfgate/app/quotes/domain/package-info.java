/** Draws quotes from the database. */
@NullMarked
package perfgate.app.quotes.domain;

import org.jspecify.annotations.NullMarked;
