package perfgate.db;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * Watches free space while servers write. On a full disk mariadbd waits forever instead of failing, so this launcher
 * must detect it and end the work.
 */
public final class Disk implements AutoCloseable {
    private static final long MEBIBYTE = 1 << 20;
    private static final long NEARLY_FULL_BYTES = 16 * MEBIBYTE;

    // A sort can allocate this much between two readings.
    private static final long SCARCE_BYTES = 64 * MEBIBYTE;
    private static final int INTERVAL_MILLIS = 100;
    private static final Pattern FULL =
            Pattern.compile("No space left on device|[Dd]isk (is )?full|errno: 28|Errcode: 28|[Tt]able .* is full");

    private final FileStore store;
    private final Thread watcher;
    private volatile long lowestFreeBytes = Long.MAX_VALUE;

    /** Calls back at most once, from its own thread. */
    public Disk(Path directory, Runnable whenFull) throws IOException {
        store = Files.getFileStore(directory);
        watcher = Thread.ofPlatform().daemon().name("disk-watch").start(() -> watch(whenFull));
    }

    private void watch(Runnable whenFull) {
        try {
            while (!full()) {
                Thread.sleep(INTERVAL_MILLIS);
                lowestFreeBytes = Math.min(lowestFreeBytes, store.getUsableSpace());
            }
            whenFull.run();
        } catch (IOException e) {
            Shutdown.note("free space cannot be read: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public boolean full() {
        return lowestFreeBytes < NEARLY_FULL_BYTES;
    }

    /**
     * True if space was scarce at any time. A server that ended then ended because of it: mariadbd may crash on a full
     * disk, which frees its temporary files, and it cannot write the reason to its log.
     */
    public boolean wasScarce() {
        return lowestFreeBytes < SCARCE_BYTES;
    }

    /** True if this message or log says that a disk is full. */
    public static boolean reportsFull(String text) {
        return FULL.matcher(text).find();
    }

    public static Fault full(Object place, String cause) {
        return new Fault(Fault.Code.DISK_FULL, place, cause, "free space there, or name a directory on another disk");
    }

    /** Checks free space before the work begins, because mariadbd itself does not fail on a full disk. */
    public static void require(Path directory, long bytes, String activity) throws IOException {
        long free = Files.getFileStore(directory).getUsableSpace();
        if (free < bytes) {
            String cause = "%s needs %d MiB, %d MiB are free".formatted(activity, bytes / MEBIBYTE, free / MEBIBYTE);
            throw full(directory, cause);
        }
    }

    @Override
    public void close() {
        watcher.interrupt();
    }
}
