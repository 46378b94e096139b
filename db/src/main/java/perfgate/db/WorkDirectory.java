package perfgate.db;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The directory named with --work: the copy of the data that is served, for one launcher at a time. */
record WorkDirectory(Path path, FileLock lock) implements AutoCloseable {

    /** Takes the directory, and clears away what a launcher that was killed left there. */
    static WorkDirectory open(Path asked) throws IOException {
        Path path = asked.toAbsolutePath().normalize();
        Optional<FileLock> lock;
        try {
            Files.createDirectories(path);
            lock = FileLock.attempt(path.resolve("lock"));
        } catch (IOException e) {
            throw new Fault(
                    Fault.Code.WORK_NOT_WRITABLE,
                    path.toString(),
                    "cannot write to the work directory: " + e.getClass().getSimpleName() + " " + e.getMessage(),
                    "make it writable, or name another one with --work");
        }
        var work = new WorkDirectory(
                path,
                lock.orElseThrow(() -> new Fault(
                        Fault.Code.WORK_IN_USE,
                        path.toString(),
                        "another serve uses this work directory",
                        "stop it, or name another directory with --work")));
        work.leftovers().end();
        if (Files.exists(work.data())) {
            Progress.say("work " + work.data() + " was left by an earlier serve and is removed");
        }
        work.clear();
        DirectoryTree.remove(work.kafka());
        return work;
    }

    Path data() {
        return path.resolve("data");
    }

    /** Kafka's directory, which outlives a restore of the data. */
    Path kafka() {
        return path.resolve("kafka");
    }

    Path log(String server) {
        return path.resolve(server + ".log");
    }

    /** The children of a launcher, on file for the next one. */
    Leftovers leftovers() {
        return new Leftovers(path.resolve("servers.json"));
    }

    /** Removes the data but not the logs, which may still be wanted. */
    void clear() {
        DirectoryTree.remove(data());
        leftovers().forget();
    }

    void clearLogs() {
        try {
            Files.deleteIfExists(log(MariaDbServer.NAME));
            Files.deleteIfExists(log(RedisServer.NAME));
            Files.deleteIfExists(log(KafkaServer.NAME));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
