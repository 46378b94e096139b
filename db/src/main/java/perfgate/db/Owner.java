package perfgate.db;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** A user and group by number: in a container, the names of another container's users mean nothing. */
record Owner(int user, int group) {
    private static final String USER = "unix:uid";
    private static final String GROUP = "unix:gid";

    /** From text such as 999:999. */
    static Owner parse(String text) {
        String[] parts = text.split(":", -1);
        if (parts.length != 2) {
            throw new IllegalArgumentException("expected UID:GID, got " + text);
        }
        return new Owner(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
    }

    static Owner of(Path path) throws IOException {
        return new Owner((int) Files.getAttribute(path, USER), (int) Files.getAttribute(path, GROUP));
    }

    void give(Path path) throws IOException {
        // Only root may give files away, so nobody is asked to give to himself.
        if (!equals(of(path))) {
            Files.setAttribute(path, GROUP, group, LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(path, USER, user, LinkOption.NOFOLLOW_LINKS);
        }
    }

    void giveTree(Path directory) throws IOException {
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path visited, BasicFileAttributes attributes) throws IOException {
                give(visited);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                give(file);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
