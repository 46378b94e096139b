package perfgate.db;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The directory named with --cache: unpacked servers and snapshots. */
record CacheDirectory(Path path) {

    static CacheDirectory of(Path path) {
        return new CacheDirectory(path.toAbsolutePath().normalize());
    }

    /** Asked only when something has to be written: a complete cache may be read-only. */
    void requireWritable() {
        try {
            Files.createDirectories(path);
            // Trying is the only sure test: permission bits say nothing to root and nothing about a read-only mount.
            Files.delete(Files.createTempFile(path, "writable", ".tmp"));
        } catch (IOException e) {
            throw new Fault(
                    Fault.Code.CACHE_NOT_WRITABLE,
                    path.toString(),
                    "cannot write to the cache directory: " + reason(e),
                    "make it writable, or name another one with --cache");
        }
    }

    private static String reason(IOException e) {
        return e.getClass().getSimpleName() + " " + e.getMessage();
    }
}
