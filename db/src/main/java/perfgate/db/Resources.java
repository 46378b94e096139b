package perfgate.db;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Files packaged with this program. */
public final class Resources {
    public static final String MIGRATIONS = "db/migration";
    public static final String SEED = "db/seed";

    private Resources() {}

    /** A packaged file with settings of the servers. */
    public static String settings(String name) {
        return new String(folder("db/settings").get(name), StandardCharsets.UTF_8);
    }

    /** The packaged files of a folder by name, whether the program runs from its jar or from a directory. */
    public static SortedMap<String, byte[]> folder(String name) {
        try {
            URL url = Resources.class.getClassLoader().getResource(name);
            if (url == null) {
                throw new IllegalStateException("not packaged: " + name);
            }
            URI uri = url.toURI();
            try (FileSystem _ = jar(uri);
                    Stream<Path> files = Files.list(Path.of(uri))) {
                var contents = new TreeMap<String, byte[]>();
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    contents.put(file.getFileName().toString(), Files.readAllBytes(file));
                }
                return contents;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static FileSystem jar(URI uri) throws IOException {
        return uri.getScheme().equals("jar") ? FileSystems.newFileSystem(uri, Map.of()) : null;
    }
}
