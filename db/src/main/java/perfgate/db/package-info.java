/** The data of the reference service: seeded once, kept as a snapshot, restored and served without Docker. */
@NullMarked
package perfgate.db;

import org.jspecify.annotations.NullMarked;
