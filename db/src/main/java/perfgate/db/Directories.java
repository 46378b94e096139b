package perfgate.db;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.commons.io.file.PathUtils;

/** Operations on whole directories, and locks between processes. */
public final class Directories {
    private Directories() {}

    /** Only the owner may enter the directory, because the servers' data has well-known passwords. */
    public static Path createPrivate(Path directory) throws IOException {
        return Files.createDirectories(
                directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    /** Bytes per file, with names relative to the directory. */
    public static SortedMap<String, Long> sizes(Path directory) throws IOException {
        var sizes = new TreeMap<String, Long>();
        try (Stream<Path> tree = Files.walk(directory)) {
            for (Path file : tree.filter(Files::isRegularFile).toList()) {
                sizes.put(directory.relativize(file).toString(), Files.size(file));
            }
        }
        return sizes;
    }

    /** Empties a directory but keeps it, because it may be a mount point. */
    public static void clear(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            entries.forEach(Directories::remove);
        }
    }

    /** Removes a file or a whole directory. A dying server may remove some of its files at the same time. */
    public static void remove(Path path) {
        while (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            try {
                PathUtils.delete(path);
            } catch (NoSuchFileException e) {
                continue;
            } catch (IOException e) {
                throw new UncheckedIOException("cannot remove " + path + ": " + e.getMessage(), e);
            }
        }
    }

    /** Changes the owner of a file or a whole directory to what the command chown accepts. */
    public static void chown(String owner, Path path) throws IOException {
        Process process =
                new ProcessBuilder("chown", "--recursive", "--no-dereference", owner, path.toString()).start();
        if (process.onExit().join().exitValue() != 0) {
            throw new IOException(new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8).strip());
        }
    }

    /**
     * Opens a lock file for {@link FileChannel#tryLock} and {@link #await}. Only opening a file shows that a directory
     * is writable: permission bits say nothing to root, and nothing about a read-only mount.
     */
    public static FileChannel lockFile(Path directory, String name, Fault.Code notWritable) {
        try {
            Files.createDirectories(directory);
            return FileChannel.open(directory.resolve(name), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        } catch (IOException e) {
            String cause = "cannot write to the directory: " + e.getClass().getSimpleName() + " " + e.getMessage();
            throw new Fault(notWritable, directory, cause, "make it writable, or name another directory");
        }
    }

    /** Waits until no other process holds the lock. The system releases it when its process ends. */
    public static void await(FileChannel lockFile, String reason) throws IOException {
        if (lockFile.tryLock() == null) {
            Shutdown.note("waiting: " + reason);
            lockFile.lock();
        }
    }
}
