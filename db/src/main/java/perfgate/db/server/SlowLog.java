package perfgate.db.server;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import perfgate.db.Shutdown;

/** Statements that took long, in slow.log. What it held before is in slow.log.1, so that neither grows without end. */
public final class SlowLog implements AutoCloseable {
    private static final long LIMIT_BYTES = 64 << 20;

    private static final int INTERVAL_MILLIS = 1000;

    private final MariaDbServer database;
    private final Path log;
    private final Path earlier;
    private final Thread watcher;

    /** Call before the database starts. Removes the files of an earlier run. */
    public SlowLog(MariaDbServer database, Path directory) throws IOException {
        this.database = database;
        this.log = directory.resolve("slow.log");
        this.earlier = directory.resolve("slow.log.1");
        Files.deleteIfExists(log);
        Files.deleteIfExists(earlier);
        database.writeSlowLog(log);
        watcher = Thread.ofPlatform().daemon().name("slow-log").start(this::watch);
    }

    private void watch() {
        try {
            while (true) {
                Thread.sleep(INTERVAL_MILLIS);
                // The length of a file that does not exist is 0.
                if (log.toFile().length() > LIMIT_BYTES) {
                    rotate();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A database that does not answer opens the file when it starts again. */
    private void rotate() {
        try {
            Files.move(log, earlier, REPLACE_EXISTING);
            database.reopenSlowLog();
            Shutdown.note("slow.log was rotated; its earlier statements are in " + earlier);
        } catch (IOException | SQLException e) {
            Shutdown.note("slow.log was not rotated: " + e.getMessage());
        }
    }

    @Override
    public void close() {
        watcher.interrupt();
    }
}
