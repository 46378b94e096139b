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
    // Less than InnoDB grows a large file by at a time.
    private static final long NEARLY_FULL_BYTES = 3L << 20;
    private static final int INTERVAL_MILLIS = 200;
    private static final Pattern FULL =
            Pattern.compile("No space left on device|[Dd]isk (is )?full|errno: 28|Errcode: 28|[Tt]able .* is full");

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("disk-watch").factory());
    private volatile boolean full;

    /** Calls back at most once, from a thread of its own. */
    DiskWatch(Path directory, Runnable whenFull) throws IOException {
        FileStore store = Files.getFileStore(directory);
        timer.scheduleWithFixedDelay(
                () -> {
                    if (!full && nearlyFull(store)) {
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

    static boolean tellsOfFullDisk(String text) {
        return FULL.matcher(text).find();
    }

    private static boolean nearlyFull(FileStore store) {
        try {
            return store.getUsableSpace() < NEARLY_FULL_BYTES;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
