package perfgate.db;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Notices a disk that fills up while servers write to it. mariadbd does not fail then: it waits, without an end, for
 * someone to make room. So somebody else has to notice and end the work.
 */
final class DiskWatch implements AutoCloseable {
    private static final long NEARLY_FULL_BYTES = 16L << 20;

    // What a sort may ask for between two looks at the disk.
    private static final long SHORT_BYTES = 64L << 20;
    private static final int INTERVAL_MILLIS = 100;
    private static final Pattern FULL =
            Pattern.compile("No space left on device|[Dd]isk (is )?full|errno: 28|Errcode: 28|[Tt]able .* is full");

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("disk-watch").factory());
    private final FileStore store;
    private volatile boolean full;
    private volatile long lowestFreeBytes = Long.MAX_VALUE;

    /** Calls back at most once, from a thread of its own. */
    DiskWatch(Path directory, Runnable whenFull) throws IOException {
        store = Files.getFileStore(directory);
        timer.scheduleWithFixedDelay(
                () -> {
                    if (!full && look() < NEARLY_FULL_BYTES) {
                        full = true;
                        whenFull.run();
                    }
                },
                INTERVAL_MILLIS,
                INTERVAL_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    boolean full() {
        return full;
    }

    /**
     * True if room was scarce at any time. A server that ended then ended of it: mariadbd may crash on a full disk,
     * which frees its temporary files and leaves no trace in a log that could not be written either.
     */
    boolean ranShort() {
        return lowestFreeBytes < SHORT_BYTES;
    }

    static boolean tellsOfFullDisk(String text) {
        return FULL.matcher(text).find();
    }

    private long look() {
        try {
            long free = store.getUsableSpace();
            lowestFreeBytes = Math.min(lowestFreeBytes, free);
            return free;
        } catch (IOException e) {
            return Long.MAX_VALUE;
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
