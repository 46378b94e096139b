/** The reference service: one package a module, each module's root package is its API. */
@NullMarked
package perfgate.app;

import org.jspecify.annotations.NullMarked;
