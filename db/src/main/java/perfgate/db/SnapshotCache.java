package perfgate.db;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The snapshots under a cache directory, one directory a key. */
final class SnapshotCache {

    /**
     * A snapshot and how it came to be there.
     *
     * @param seeded false if it was there already
     */
    record Found(Snapshot snapshot, boolean seeded, Map<String, Long> timingsMs) {}

    private final CacheDirectory cache;
    private final EngineVersions versions;
    private final SnapshotKey key;
    private final Shutdown shutdown;

    SnapshotCache(CacheDirectory cache, EngineVersions versions, Shutdown shutdown) {
        this.cache = cache;
        this.versions = versions;
        this.key = SnapshotKey.of(versions);
        this.shutdown = shutdown;
    }

    SnapshotKey key() {
        return key;
    }

    Path directory() {
        return cache.path().resolve(key.value());
    }

    /** The snapshot if it is there and whole; why not goes to stderr. */
    Optional<Snapshot> find() throws IOException {
        if (!Files.exists(directory())) {
            return Optional.empty();
        }
        try {
            return Optional.of(Snapshot.open(directory(), key, versions));
        } catch (Snapshot.Unusable e) {
            Progress.say("snapshot %s is not used: %s".formatted(directory(), e.getMessage()));
            return Optional.empty();
        }
    }

    /** The snapshot, seeded first if need be. Of two processes at once one seeds and the other waits for it. */
    Found ensure() throws IOException, InterruptedException {
        Optional<Snapshot> present = find();
        if (present.isPresent()) {
            return new Found(present.get(), false, Map.of());
        }
        cache.requireWritable();
        Path lockFile = cache.path().resolve(key + ".lock");
        try (var _ = FileLock.await(lockFile, "another process seeds " + directory())) {
            present = find();
            if (present.isPresent()) {
                return new Found(present.get(), false, Map.of());
            }
            return build();
        }
    }

    private Found build() throws IOException, InterruptedException {
        nameOthers();
        if (Files.exists(directory())) {
            Progress.say("snapshot " + directory() + " is removed and seeded again");
            DirectoryTree.remove(directory());
        }
        Path building = cache.path().resolve(key + ".building");
        if (Files.exists(building)) {
            Progress.say("snapshot " + building + " was left half-written by an earlier seed and is removed");
            DirectoryTree.remove(building);
        }
        try (var _ = shutdown.register(() -> DirectoryTree.remove(building))) {
            DirectoryTree.createPrivate(building);
            var timings = new Timings();
            new Seeder(cache, versions, key, shutdown).seed(building, timings);
            Files.move(building, directory(), StandardCopyOption.ATOMIC_MOVE);
            return new Found(Snapshot.open(directory(), key, versions), true, timings.millis());
        } catch (Snapshot.Unusable e) {
            throw new Fault(
                    Fault.Code.SEED_FAILED, directory().toString(), e.getMessage(), "seed again on a sound disk");
        }
    }

    /** Says which snapshots of other data or engines lie beside: they take room and are never used. */
    private void nameOthers() throws IOException {
        try (var entries = Files.list(cache.path())) {
            for (Path entry : entries.sorted().toList()) {
                SnapshotManifest other = manifestOf(entry);
                if (other != null && !entry.equals(directory())) {
                    Progress.say("snapshot %s is of %s, format %d, and other data: not used, %s is seeded"
                            .formatted(entry, other.engines(), other.format(), key));
                }
            }
        }
    }

    private static @Nullable SnapshotManifest manifestOf(Path directory) {
        Path file = directory.resolve(SnapshotManifest.FILE);
        try {
            return Files.exists(file) ? Json.read(file, SnapshotManifest.class) : null;
        } catch (IOException e) {
            return null;
        }
    }
}
