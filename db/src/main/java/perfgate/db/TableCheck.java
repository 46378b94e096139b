package perfgate.db;

/**
 * What one table, or Redis's key space, holds.
 *
 * @param rows rows or keys
 * @param checksum does not depend on the order of the rows; text, for it may pass what a double holds
 */
record TableCheck(long rows, String checksum) {}
