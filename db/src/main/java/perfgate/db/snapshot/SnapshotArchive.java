package perfgate.db.snapshot;

import com.github.luben.zstd.ZstdInputStream;
import com.github.luben.zstd.ZstdOutputStream;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.TreeMap;
import org.apache.commons.codec.digest.DigestUtils;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import perfgate.db.Directories;
import perfgate.db.Fault;
import perfgate.db.Shutdown;
import perfgate.db.Timings;

/**
 * A snapshot in one file, tar within zstd, and its SHA-256 in a file next to it that `sha256sum` can check. The
 * manifest comes first, so that a reader knows which files follow.
 */
public record SnapshotArchive(Path file) {
    /** Higher levels take longer by more than they save. */
    private static final int LEVEL = 3;

    private static final int WORKERS = 2;
    private static final int BUFFER = 1 << 18;
    private static final int PRIVATE_FILE = 0600;

    /**
     * An archive that can be used.
     *
     * @param rebuilt why it was made again, or "" if it could be used as it was
     */
    public record Found(SnapshotArchive archive, String rebuilt) {}

    /** The archive in this directory, made from a fresh seed if it is missing or damaged. */
    public static Found ensure(Path archives, SnapshotCache cache, Timings timings)
            throws IOException, InterruptedException {
        var archive = new SnapshotArchive(archives.resolve(Snapshot.KEY + ".tar.zst"));
        String problem;
        try (var _ = timings.start("check")) {
            problem = archive.problem();
        }
        timings.put("seed", 0);
        timings.put("pack", 0);
        if (!problem.isEmpty()) {
            String name = Snapshot.KEY + ".lock";
            try (var lock = Directories.lockFile(archives, name, Fault.Code.CACHE_NOT_WRITABLE)) {
                Directories.await(lock, "another process makes " + archive.file);
                giveToOwner(archives.resolve(name));
                problem = archive.problem();
                if (!problem.isEmpty()) {
                    Shutdown.note("snapshot archive %s: %s, so it is made again".formatted(archive.file, problem));
                    archive.build(cache, timings);
                }
            }
        }
        return new Found(archive, problem);
    }

    private void build(SnapshotCache cache, Timings timings) throws IOException, InterruptedException {
        Files.deleteIfExists(checksumFile());
        Files.deleteIfExists(file);
        SnapshotCache.Found seeded = cache.ensure();
        timings.put("seed", seeded.seedMillis());
        try (var _ = timings.start("pack")) {
            write(seeded.snapshot());
        }
    }

    private Path checksumFile() {
        return file.resolveSibling(file.getFileName() + ".sha256");
    }

    public long bytes() throws IOException {
        return Files.size(file);
    }

    /** Why it must not be used, or "". Reads all of it, because nothing is unpacked from a damaged archive. */
    String problem() throws IOException {
        if (!Files.exists(file)) {
            return Files.exists(checksumFile()) ? "it is missing, only its checksum exists" : "there is none";
        }
        if (!Files.exists(checksumFile())) {
            return "it has no checksum";
        }
        try {
            boolean matches = Files.readString(checksumFile()).equals(checksum(file));
            return matches ? "" : "it is damaged: its %d bytes do not match its checksum".formatted(bytes());
        } catch (NoSuchFileException e) {
            // Another user of the directory has just deleted it, to write it anew.
            return "it is missing";
        }
    }

    /** The line that `sha256sum` prints for the archive in this file. */
    private String checksum(Path content) throws IOException {
        try (InputStream in = Files.newInputStream(content)) {
            return DigestUtils.sha256Hex(in) + "  " + file.getFileName() + "\n";
        }
    }

    /** Moves both files into place when they are complete, the checksum last. */
    void write(Snapshot snapshot) throws IOException {
        Path building = file.resolveSibling(file.getFileName() + ".building");
        Path checksumBuilding = file.resolveSibling(file.getFileName() + ".sha256.building");
        try {
            pack(snapshot, building);
            Files.writeString(checksumBuilding, checksum(building));
            giveToOwner(building);
            giveToOwner(checksumBuilding);
            Files.move(building, file, StandardCopyOption.ATOMIC_MOVE);
            Files.move(checksumBuilding, checksumFile(), StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(building);
            Files.deleteIfExists(checksumBuilding);
        }
    }

    /** Root in a container writes for the user who owns the directory. */
    private static void giveToOwner(Path file) throws IOException {
        Directories.chown("--reference=" + file.getParent(), file);
    }

    private static void pack(Snapshot snapshot, Path target) throws IOException {
        try (var zstd = new ZstdOutputStream(Files.newOutputStream(target), LEVEL);
                var tar = new TarArchiveOutputStream(new BufferedOutputStream(zstd, BUFFER))) {
            zstd.setWorkers(WORKERS);
            zstd.setChecksum(true);
            tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
            add(tar, snapshot.directory(), Snapshot.Manifest.FILE);
            for (String name : snapshot.manifest().files().keySet()) {
                add(tar, snapshot.directory(), name);
            }
            tar.finish();
        }
    }

    private static void add(TarArchiveOutputStream tar, Path directory, String name) throws IOException {
        Path source = directory.resolve(name);
        var entry = new TarArchiveEntry(name);
        entry.setSize(Files.size(source));
        entry.setMode(PRIVATE_FILE);
        // A fixed time and no owner, so that equal data makes equal archives.
        entry.setModTime(0);
        tar.putArchiveEntry(entry);
        Files.copy(source, tar);
        tar.closeArchiveEntry();
    }

    /** Unpacks into directories that are empty, and returns the manifest of what they hold now. */
    Snapshot.Manifest unpack(DataDirectories directories) throws IOException {
        try (var zstd = new ZstdInputStream(new BufferedInputStream(Files.newInputStream(file), BUFFER));
                var tar = new TarArchiveInputStream(new BufferedInputStream(zstd, BUFFER))) {
            TarArchiveEntry entry = tar.getNextEntry();
            if (entry == null || !entry.getName().equals(Snapshot.Manifest.FILE)) {
                throw Snapshot.unusable("it does not begin with a manifest");
            }
            Snapshot.Manifest manifest = Snapshot.Manifest.parse(tar.readAllBytes());
            directories.requireSpace(manifest.bytes() + Snapshot.HEADROOM_BYTES);
            var written = new TreeMap<String, Long>();
            for (entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                String name = entry.getName();
                written.put(name, directories.write(name, tar));
            }
            manifest.requireFiles(written);
            return manifest;
        }
    }
}
