package perfgate.db;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One seeded cache for all tests. It is seeded by two launchers at once over what a killed one and another version
 * left, since seeding takes too long to do it for every question that is asked about it.
 */
final class SharedCache {
    static final Path PATH = Path.of("target", "it-cache").toAbsolutePath();
    static final SnapshotKey KEY = SnapshotKey.of(EngineVersions.packaged());
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
            DirectoryTree.remove(PATH.resolve(KEY.value()));
            Files.createDirectories(PATH.resolve(KEY.value()).resolve(Snapshot.MARIADB));
            Files.createDirectories(PATH.resolve(KEY + ".building"));
            Files.createDirectories(OTHER_VERSION);
            var other = new SnapshotManifest(
                    SnapshotKey.FORMAT - 1, "0123456789abcdef", "mariadb-0", Map.of(), Map.of(), new TreeMap<>());
            Files.writeString(OTHER_VERSION.resolve(SnapshotManifest.FILE), Json.pretty(other));
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

    /** A cache with the unpacked servers but without a snapshot. */
    static Path withoutSnapshot(Path directory) throws IOException {
        Files.createDirectories(directory);
        Files.createSymbolicLink(directory.resolve("engines"), PATH.resolve("engines"));
        return directory;
    }

    /** A cache with the unpacked servers and a snapshot of its own that may be damaged. */
    static Path withSnapshot(Path directory) throws IOException, InterruptedException {
        withoutSnapshot(directory);
        DirectoryTree.copy(PATH.resolve(KEY.value()), directory.resolve(KEY.value()));
        return directory;
    }
}
