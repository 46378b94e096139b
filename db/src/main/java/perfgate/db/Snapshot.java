package perfgate.db;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** A directory with the data of both servers as they left it after a clean stop. */
record Snapshot(Path directory, SnapshotManifest manifest) {
    static final String MARIADB = "mariadb";
    static final String REDIS = "redis";

    /** The redo log of a serving mariadbd, its temporary tables, and room for what the load adds. */
    static final long HEADROOM_BYTES = 512L << 20;

    /** A snapshot directory that must not be used; the message says why. */
    static final class Unusable extends Exception {
        private static final long serialVersionUID = 1L;

        Unusable(String message) {
            super(message);
        }
    }

    /** Opens a directory if it is whole and made for this key and these engines. */
    static Snapshot open(Path directory, SnapshotKey key, EngineVersions versions) throws Unusable, IOException {
        Path file = directory.resolve(SnapshotManifest.FILE);
        if (!Files.exists(file)) {
            throw new Unusable("it is half-written: it has no manifest");
        }
        SnapshotManifest manifest;
        try {
            manifest = Json.read(file, SnapshotManifest.class);
        } catch (IOException e) {
            throw new Unusable("its manifest cannot be read: " + e.getMessage());
        }
        requireFor(key, versions, manifest);
        requireSameFiles(manifest.files(), files(directory));
        return new Snapshot(directory, manifest);
    }

    static void requireFor(SnapshotKey key, EngineVersions versions, SnapshotManifest manifest) throws Unusable {
        if (manifest.format() != SnapshotKey.FORMAT) {
            throw new Unusable(
                    "it has format %d, this program reads format %d".formatted(manifest.format(), SnapshotKey.FORMAT));
        }
        if (!versions.id().equals(manifest.engines())) {
            throw new Unusable("it is of %s, this program runs %s".formatted(manifest.engines(), versions.id()));
        }
        if (!key.value().equals(manifest.key())) {
            throw new Unusable("its manifest names the key " + manifest.key());
        }
    }

    static SortedMap<String, Long> files(Path directory) throws IOException {
        var files = new TreeMap<>(DirectoryTree.sizes(directory));
        files.remove(SnapshotManifest.FILE);
        return files;
    }

    static void requireSameFiles(Map<String, Long> expected, Map<String, Long> found) throws Unusable {
        for (Map.Entry<String, Long> file : expected.entrySet()) {
            Long size = found.get(file.getKey());
            if (size == null) {
                throw new Unusable("it is corrupt: " + file.getKey() + " is missing");
            }
            if (!size.equals(file.getValue())) {
                throw new Unusable("it is corrupt: %s has %d bytes, %d were written"
                        .formatted(file.getKey(), size, file.getValue()));
            }
        }
    }

    /** Copies the data to a fresh directory. */
    void restoreTo(Path target) throws IOException, InterruptedException {
        DirectoryTree.createPrivate(target);
        DiskSpace.require(target, manifest.bytes() + HEADROOM_BYTES, "restoring the data");
        try {
            DirectoryTree.copy(directory.resolve(MARIADB), target.resolve(MARIADB));
            DirectoryTree.copy(directory.resolve(REDIS), target.resolve(REDIS));
        } catch (IOException e) {
            if (DiskWatch.tellsOfFullDisk(String.valueOf(e.getMessage()))) {
                throw DiskSpace.full(target, "the disk became full while restoring the data");
            }
            throw e;
        }
    }
}
