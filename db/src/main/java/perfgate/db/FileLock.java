package perfgate.db;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/** A lock between processes. The system drops it with its process, so nothing stale can stay behind. */
record FileLock(FileChannel channel) implements AutoCloseable {

    /** Waits for the lock, and says so if it has to. */
    static FileLock await(Path file, String reason) throws IOException {
        FileChannel channel = open(file);
        if (channel.tryLock() == null) {
            Progress.say("waiting: " + reason);
            channel.lock();
        }
        return new FileLock(channel);
    }

    /** The lock, or nothing if another process holds it. */
    static Optional<FileLock> attempt(Path file) throws IOException {
        FileChannel channel = open(file);
        if (channel.tryLock() == null) {
            channel.close();
            return Optional.empty();
        }
        return Optional.of(new FileLock(channel));
    }

    private static FileChannel open(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
