/** The one place where exceptions become answers. */
@NullMarked
package perfgate.app.problems.web;

import org.jspecify.annotations.NullMarked;
