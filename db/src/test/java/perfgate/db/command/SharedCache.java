package perfgate.db.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.commons.io.file.PathUtils;
import perfgate.db.Directories;
import perfgate.db.snapshot.Snapshot;
import tools.jackson.databind.json.JsonMapper;

/**
 * One seeded cache for all tests, because seeding takes too long to repeat it for each. Two launchers seed it at once,
 * over what a killed launcher and another version left.
 */
final class SharedCache {
    static final Path PATH = Path.of("target", "it-cache").toAbsolutePath();
    static final Path OTHER_VERSION = PATH.resolve("0123456789abcdef");

    private static final List<Launcher> SEEDS = seedTwiceAtOnce();

    private SharedCache() {}

    static List<Launcher> seeds() {
        return SEEDS;
    }

    static Path ready() {
        return PATH;
    }

    private static List<Launcher> seedTwiceAtOnce() {
        try {
            Directories.remove(PATH.resolve(Snapshot.KEY));
            Files.createDirectories(PATH.resolve(Snapshot.KEY).resolve("mariadb"));
            Files.createDirectories(PATH.resolve(Snapshot.KEY + ".building"));
            Files.createDirectories(OTHER_VERSION);
            var other = new Snapshot.Manifest(
                    Snapshot.FORMAT - 1, "0123456789abcdef", "mariadb-0", Map.of(), Map.of(), new TreeMap<>());
            JsonMapper.shared().writeValue(OTHER_VERSION.resolve("manifest.json"), other);
            var seeds = List.of(Launcher.start("seed", "--cache", PATH), Launcher.start("seed", "--cache", PATH));
            for (Launcher seed : seeds) {
                if (seed.awaitExit() != 0) {
                    throw new AssertionError("seeding failed: " + seed.errors());
                }
            }
            return seeds;
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** A cache with its own copy of the snapshot, which the test may damage. */
    static Path copyTo(Path directory) throws IOException {
        PathUtils.copyDirectory(
                PATH.resolve(Snapshot.KEY), Files.createDirectories(directory).resolve(Snapshot.KEY));
        return directory;
    }
}
