/** The HTTP API of quotes. */
@NullMarked
package perfgate.app.quotes.web;

import org.jspecify.annotations.NullMarked;
