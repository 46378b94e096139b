package perfgate.db;

import java.util.Map;
import java.util.SortedMap;

/**
 * Written last into a snapshot directory: what has none, or one that does not fit, is no snapshot.
 *
 * @param format the layout, {@link SnapshotKey#FORMAT}
 * @param versions as the servers told them
 * @param verify rows and checksums that were found in it
 * @param files bytes by file name relative to the directory
 */
record SnapshotManifest(
        int format,
        String key,
        String engines,
        Map<String, String> versions,
        Map<String, TableCheck> verify,
        SortedMap<String, Long> files) {
    static final String FILE = "manifest.json";

    long bytes() {
        return files.values().stream().mapToLong(Long::longValue).sum();
    }
}
