package perfgate.db;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Whole directories: their files' sizes, copying, removing. */
final class DirectoryTree {
    private static final int COPIERS = 2;

    private DirectoryTree() {}

    /** Makes a directory that only its owner may enter: the servers' data has well-known passwords. */
    static void createPrivate(Path directory) throws IOException {
        Files.createDirectories(
                directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    /** Bytes by file, named relative to the directory with '/' between. */
    static SortedMap<String, Long> sizes(Path directory) throws IOException {
        var sizes = new TreeMap<String, Long>();
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                sizes.put(directory.relativize(file).toString(), attributes.size());
                return FileVisitResult.CONTINUE;
            }
        });
        return sizes;
    }

    /**
     * Copies a directory to a place that does not exist yet, the largest files first. Files.copy lets the kernel
     * copy, which shares the blocks (reflink) on the file systems that can: Btrfs, XFS.
     */
    static void copy(Path from, Path to) throws IOException, InterruptedException {
        var directories = new ArrayList<Path>();
        var files = new ArrayList<Path>();
        try (var tree = Files.walk(from)) {
            tree.forEach(path -> (Files.isDirectory(path) ? directories : files).add(path));
        }
        for (Path directory : directories) {
            createPrivate(to.resolve(from.relativize(directory).toString()));
        }
        files.sort(Comparator.comparingLong(DirectoryTree::size).reversed());
        try (var pool = Executors.newFixedThreadPool(COPIERS)) {
            List<Future<?>> copies = new ArrayList<>();
            for (Path file : files) {
                Path target = to.resolve(from.relativize(file).toString());
                copies.add(pool.submit(() -> Files.copy(file, target)));
            }
            try {
                for (Future<?> copy : copies) {
                    copy.get();
                }
            } catch (ExecutionException e) {
                pool.shutdownNow();
                throw new IOException(String.valueOf(e.getCause().getMessage()), e.getCause());
            }
        }
    }

    /** Removes what is in a directory and leaves the directory itself, which may be a mount point. */
    static void clear(Path directory) throws IOException {
        try (var entries = Files.list(directory)) {
            entries.forEach(entry -> {
                if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
                    remove(entry);
                } else {
                    removeFile(entry);
                }
            });
        }
    }

    private static void removeFile(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot remove " + file + ": " + e.getMessage(), e);
        }
    }

    /** Removes a directory and all in it. Files that vanish meanwhile are fine: a dying server removes some itself. */
    static void remove(Path directory) {
        if (!Files.exists(directory)) {
            return;
        }
        try {
            Files.walkFileTree(directory, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.deleteIfExists(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                    if (failure instanceof NoSuchFileException) {
                        return FileVisitResult.CONTINUE;
                    }
                    throw failure;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure)
                        throws IOException {
                    Files.deleteIfExists(visited);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException("cannot remove " + directory + ": " + e.getMessage(), e);
        }
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
