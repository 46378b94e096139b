/** HTTP side of sign-in, and the member as a controller argument. */
@NullMarked
package perfgate.app.members.web;

import org.jspecify.annotations.NullMarked;
