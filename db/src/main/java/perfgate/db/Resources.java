package perfgate.db;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/** Files packaged with the program, whether it runs from its jar or from a directory of classes. */
final class Resources {
    private Resources() {}

    /** The names of the files in a packaged folder, in order. */
    static List<String> names(String folder) {
        try {
            Path origin = Path.of(Resources.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            if (Files.isDirectory(origin)) {
                try (var files = Files.list(origin.resolve(folder))) {
                    return files.map(file -> file.getFileName().toString())
                            .sorted()
                            .toList();
                }
            }
            try (var jar = new JarFile(origin.toFile())) {
                return jar.stream()
                        .filter(entry -> !entry.isDirectory())
                        .map(JarEntry::getName)
                        .filter(name -> name.startsWith(folder + "/"))
                        .map(name -> name.substring(folder.length() + 1))
                        .sorted()
                        .toList();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    static byte[] bytes(String path) {
        try (InputStream in = open(path)) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String text(String path) {
        return new String(bytes(path), StandardCharsets.UTF_8);
    }

    static InputStream open(String path) {
        InputStream in = Resources.class.getClassLoader().getResourceAsStream(path);
        if (in == null) {
            throw new IllegalStateException("not packaged: " + path);
        }
        return in;
    }
}
