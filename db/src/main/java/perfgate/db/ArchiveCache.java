package perfgate.db;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** The archived snapshots of a directory, one a key. What is missing or damaged is made from a fresh seed. */
final class ArchiveCache {
    private static final String SOUND = "";

    /**
     * A sound archive and how it came to be there.
     *
     * @param rebuilt why it was made anew, or "" if it was there and sound
     */
    record Found(SnapshotArchive archive, String rebuilt, Map<String, Long> timingsMs) {}

    private final CacheDirectory archives;
    private final SnapshotArchive archive;
    private final SnapshotCache snapshots;

    ArchiveCache(CacheDirectory archives, SnapshotCache snapshots) {
        this.archives = archives;
        this.archive = SnapshotArchive.of(archives.path(), snapshots.key());
        this.snapshots = snapshots;
    }

    /** Of two processes at once one makes the archive and the other waits for it, in whatever container they are. */
    Found ensure() throws IOException, InterruptedException {
        var timings = new Timings();
        if (timings.time("check", this::problem).equals(SOUND)) {
            return found(SOUND, timings);
        }
        archives.requireWritable();
        Path lockFile = archives.path().resolve(snapshots.key() + ".lock");
        try (var _ = FileLock.await(lockFile, "another process makes " + archive.file())) {
            Owner.of(archives.path()).give(lockFile);
            String problem = problem();
            if (problem.equals(SOUND)) {
                return found(SOUND, timings);
            }
            Progress.say("snapshot archive %s: %s; it is made anew".formatted(archive.file(), problem));
            archive.drop();
            SnapshotCache.Found seeded = timings.time("seed", snapshots::ensure);
            Progress.say("archive " + snapshots.key());
            timings.run("pack", () -> archive.write(seeded.snapshot()));
            return found(problem, timings);
        }
    }

    private Found found(String rebuilt, Timings timings) {
        if (rebuilt.equals(SOUND)) {
            timings.none("seed");
            timings.none("pack");
        }
        return new Found(archive, rebuilt, timings.millis());
    }

    private String problem() throws IOException {
        if (!Files.exists(archive.file()) && !Files.exists(archive.checksumFile())) {
            return "there is none";
        }
        try {
            archive.requireSound();
            return SOUND;
        } catch (Snapshot.Unusable e) {
            return String.valueOf(e.getMessage());
        }
    }
}
