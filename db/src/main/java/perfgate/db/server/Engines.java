package perfgate.db.server;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import perfgate.db.Fault;
import perfgate.db.Resources;

/** The servers' programs, which the build puts next to the jar. */
public final class Engines {
    private static final Properties VERSIONS = versions();
    public static final String MARIADB_VERSION = VERSIONS.getProperty("mariadb");

    /** No seeded data depends on Kafka, so its version is not part of the ID. */
    public static final String KAFKA_VERSION = VERSIONS.getProperty("kafka");

    /** The artifacts whose servers write the data. The Redis artifact has a version of its own. */
    public static final String ID =
            "mariadb-" + MARIADB_VERSION + "-embedded-redis-" + VERSIONS.getProperty("embedded-redis");

    private Engines() {}

    private static Properties versions() {
        try {
            var properties = new Properties();
            properties.load(new StringReader(Resources.settings("engines.properties")));
            return properties;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A directory that the build puts next to the jar, or next to the directory of classes. */
    static Path installed(String name) {
        requireSupported(System.getProperty("os.name"), System.getProperty("os.arch"));
        Path directory = program().resolveSibling(name);
        if (!Files.isDirectory(directory)) {
            String next = "build db/ again, and keep the directory next to the jar";
            throw new Fault(Fault.Code.INSTALL_FAILED, directory, "the directory is missing", next);
        }
        return directory;
    }

    /** The jar or the directory of classes that this program runs from. */
    static Path program() {
        try {
            return Path.of(Engines.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    static void requireSupported(String system, String architecture) {
        if (!system.equals("Linux") || !architecture.matches("amd64|x86_64")) {
            String cause = "the packed MariaDB and Redis run on Linux x86-64 only";
            String next = "run the gate with the compose stack here, or on Linux x86-64";
            throw new Fault(Fault.Code.UNSUPPORTED_PLATFORM, system + " " + architecture, cause, next);
        }
    }
}
