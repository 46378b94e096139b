package perfgate.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The image names, read from the project's own files so that each version is written only once. */
record Images(String mariaDb, String mySql, String redis, String kafka, String reaper) {

    private static final Path COMPOSE = Path.of("..", "docker-compose.ci.yml");
    private static final Path POM = Path.of("pom.xml");
    private static final Path REAPER = Path.of("..", ".ci", "ryuk", "go.mod");

    static Images fromProjectFiles() {
        return new Images(
                found(COMPOSE, "(?m)^ *image: (mariadb:\\S+)"),
                "mysql:" + found(POM, "<mysql-image.version>(.+)</"),
                found(COMPOSE, "(?m)^ *image: (redis:\\S+)"),
                found(COMPOSE, "(?m)^ *image: (apache/kafka:\\S+)"),
                found(REAPER, "\\((testcontainers/ryuk:.+)\\)"));
    }

    String of(Database database) {
        return switch (database) {
            case MARIADB -> mariaDb;
            case MYSQL -> mySql;
        };
    }

    /** All images that a test run on this database starts. */
    List<String> neededFor(Database database) {
        boolean withoutReaper = Boolean.parseBoolean(System.getenv("TESTCONTAINERS_RYUK_DISABLED"));
        return Stream.of(of(database), redis, kafka, reaper)
                .filter(image -> !withoutReaper || !image.equals(reaper))
                .toList();
    }

    private static String found(Path file, String pattern) {
        try {
            Matcher matcher = Pattern.compile(pattern).matcher(Files.readString(file));
            if (!matcher.find()) {
                throw new IllegalStateException("%s has no image that matches %s".formatted(file, pattern));
            }
            return matcher.group(1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
