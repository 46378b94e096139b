/** The HTTP API of sign-in, and the signed-in member as a controller argument. */
@NullMarked
package perfgate.app.members.web;

import org.jspecify.annotations.NullMarked;
