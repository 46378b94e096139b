/** Sign-in and the identity behind a bearer token. */
@NullMarked
package perfgate.app.members;

import org.jspecify.annotations.NullMarked;
