/** Turns every exception into a response. */
@NullMarked
package perfgate.app.problems.web;

import org.jspecify.annotations.NullMarked;
