package perfgate.db;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Free space, asked before work begins: mariadbd itself waits on a full disk instead of failing. */
final class DiskSpace {
    private static final long MEBIBYTE = 1 << 20;

    private DiskSpace() {}

    static void require(Path directory, long bytes, String purpose) throws IOException {
        long free = Files.getFileStore(directory).getUsableSpace();
        if (free < bytes) {
            throw full(
                    directory,
                    "%s needs %d MiB, %d MiB are free".formatted(purpose, bytes / MEBIBYTE, free / MEBIBYTE));
        }
    }

    static Fault full(Path directory, String cause) {
        return new Fault(
                Fault.Code.DISK_FULL,
                directory.toString(),
                cause,
                "free space there, or name a directory on another disk");
    }
}
