package perfgate.db.snapshot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import perfgate.db.Directories;
import perfgate.db.Fault;
import perfgate.db.Shutdown;
import perfgate.db.seed.Seeder;

/** The directory named with --cache, which holds a directory per snapshot. */
public record SnapshotCache(Path path, Shutdown shutdown) {

    /** A snapshot, and how long its seeding took, or 0 if it was present. */
    public record Found(Snapshot snapshot, long seedMillis) {}

    public Path directory() {
        return path.resolve(Snapshot.KEY);
    }

    /** The snapshot if it is complete; otherwise stderr says why not. */
    public Optional<Snapshot> find() throws IOException {
        if (!Files.exists(directory())) {
            return Optional.empty();
        }
        try {
            return Optional.of(Snapshot.open(directory()));
        } catch (Fault e) {
            Shutdown.note("snapshot %s is not used: %s".formatted(directory(), e.getMessage()));
            return Optional.empty();
        }
    }

    /** The snapshot, seeded first if it is missing. Of two processes one seeds and the other waits. */
    public Found ensure() throws IOException, InterruptedException {
        Optional<Snapshot> present = find();
        if (present.isEmpty()) {
            String name = Snapshot.KEY + ".lock";
            try (var lock = Directories.lockFile(path, name, Fault.Code.CACHE_NOT_WRITABLE)) {
                Directories.await(lock, "another process seeds " + directory());
                present = find();
                if (present.isEmpty()) {
                    long began = System.nanoTime();
                    return new Found(seed(), (System.nanoTime() - began) / 1_000_000);
                }
            }
        }
        return new Found(present.get(), 0);
    }

    private Snapshot seed() throws IOException, InterruptedException {
        reportOthers();
        Path building = path.resolve(Snapshot.KEY + ".building");
        for (Path unusable : List.of(directory(), building)) {
            if (Files.exists(unusable)) {
                Shutdown.note("snapshot " + unusable + " is incomplete, so it is removed and seeded again");
                Directories.remove(unusable);
            }
        }
        try (var _ = shutdown.register(() -> Directories.remove(building))) {
            Seeder.Seeded seeded = Seeder.seed(Directories.createPrivate(building), shutdown);
            Snapshot.Manifest manifest = Snapshot.complete(building, seeded);
            Files.move(building, directory(), StandardCopyOption.ATOMIC_MOVE);
            return new Snapshot(directory(), manifest);
        }
    }

    /** Names the snapshots with other keys, because they take space and this program never uses them. */
    private void reportOthers() throws IOException {
        try (Stream<Path> entries = Files.list(path)) {
            entries.filter(entry -> Files.exists(entry.resolve(Snapshot.Manifest.FILE)))
                    .filter(entry -> !entry.equals(directory()))
                    .forEach(entry -> Shutdown.note("snapshot " + entry + " has another key and is not used"));
        }
    }
}
