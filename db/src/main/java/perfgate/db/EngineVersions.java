package perfgate.db;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/**
 * The versions of the artifacts that the servers come from, filled in by the build.
 *
 * @param mariadb of the MariaDB binaries: MariaDB's own version
 * @param embeddedRedis of the artifact that packs redis-server: not Redis's version, which the server itself tells
 */
record EngineVersions(String mariadb, String embeddedRedis) {

    static EngineVersions packaged() {
        Properties properties = properties();
        return new EngineVersions(properties.getProperty("mariadb"), properties.getProperty("embedded-redis"));
    }

    /** Beside the others, because no data depends on it. */
    static String packagedKafka() {
        return properties().getProperty("kafka");
    }

    private static Properties properties() {
        try (InputStream in = Resources.open("perfgate/db/engines.properties")) {
            var properties = new Properties();
            properties.load(in);
            return properties;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String id() {
        return "mariadb-" + mariadb + "-embedded-redis-" + embeddedRedis;
    }
}
