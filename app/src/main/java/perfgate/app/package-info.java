/** The reference service. Each module has one package, and the root of that package is the module's API. */
@NullMarked
package perfgate.app;

import org.jspecify.annotations.NullMarked;
