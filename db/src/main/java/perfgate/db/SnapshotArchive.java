package perfgate.db;

import com.github.luben.zstd.ZstdInputStream;
import com.github.luben.zstd.ZstdOutputStream;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestInputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;

/**
 * A snapshot in one file, tar within zstd, with its SHA-256 in a file beside it as `sha256sum` writes and checks it.
 * The manifest comes first, so that it is known what follows and how much.
 */
record SnapshotArchive(Path file) {
    /** Higher levels were measured to take longer by more than they save. */
    private static final int LEVEL = 3;

    private static final int WORKERS = 2;
    private static final int BUFFER = 1 << 18;
    private static final int PRIVATE_FILE = 0600;

    static SnapshotArchive of(Path directory, SnapshotKey key) {
        return new SnapshotArchive(directory.resolve(key + ".tar.zst"));
    }

    Path checksumFile() {
        return file.resolveSibling(file.getFileName() + ".sha256");
    }

    long bytes() throws IOException {
        return Files.size(file);
    }

    /** Reads all of it. Nothing is unpacked from an archive that did not pass. */
    void requireSound() throws Snapshot.Unusable, IOException {
        String expected;
        try {
            expected = Files.readString(checksumFile()).split(" ", 2)[0];
        } catch (NoSuchFileException e) {
            throw new Snapshot.Unusable("it has no checksum");
        }
        MessageDigest digest = sha256();
        try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
            byte[] buffer = new byte[BUFFER];
            while (in.read(buffer) >= 0) {
                // Only the digest is wanted.
            }
        } catch (NoSuchFileException e) {
            throw new Snapshot.Unusable("it is missing, only its checksum is there");
        }
        if (!HexFormat.of().formatHex(digest.digest()).equals(expected)) {
            throw new Snapshot.Unusable(
                    "it is damaged: its %d bytes do not have the checksum that was written".formatted(bytes()));
        }
    }

    /** Moves into place once it is whole, the checksum last: an archive without one is not used. */
    void write(Snapshot snapshot) throws IOException {
        Owner owner = Owner.of(file.getParent());
        Path building = file.resolveSibling(file.getFileName() + ".building");
        Path checksumBuilding = file.resolveSibling(file.getFileName() + ".sha256.building");
        try {
            MessageDigest digest = sha256();
            try (var out = new DigestOutputStream(Files.newOutputStream(building), digest)) {
                pack(snapshot, out);
            }
            String line = HexFormat.of().formatHex(digest.digest()) + "  " + file.getFileName() + "\n";
            Files.writeString(checksumBuilding, line);
            owner.give(building);
            owner.give(checksumBuilding);
            Files.move(building, file, StandardCopyOption.ATOMIC_MOVE);
            Files.move(checksumBuilding, checksumFile(), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            if (DiskWatch.tellsOfFullDisk(String.valueOf(e.getMessage()))) {
                throw DiskSpace.full(file.getParent(), "the disk became full while archiving the snapshot");
            }
            throw e;
        } finally {
            Files.deleteIfExists(building);
            Files.deleteIfExists(checksumBuilding);
        }
    }

    private static void pack(Snapshot snapshot, OutputStream out) throws IOException {
        try (var zstd = new ZstdOutputStream(out, LEVEL);
                var tar = new TarArchiveOutputStream(new BufferedOutputStream(zstd, BUFFER))) {
            zstd.setWorkers(WORKERS);
            zstd.setChecksum(true);
            tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
            add(tar, snapshot.directory(), SnapshotManifest.FILE);
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
        // Equal data makes equal archives, whenever and by whomever they are made.
        entry.setModTime(0);
        tar.putArchiveEntry(entry);
        Files.copy(source, tar);
        tar.closeArchiveEntry();
    }

    /**
     * Unpacks into directories that are there and empty.
     *
     * @return the manifest of what they hold now
     */
    SnapshotManifest unpack(SnapshotKey key, EngineVersions versions, RestoreTarget target)
            throws Snapshot.Unusable, IOException {
        try (var zstd = new ZstdInputStream(new BufferedInputStream(Files.newInputStream(file), BUFFER));
                var tar = new TarArchiveInputStream(new BufferedInputStream(zstd, BUFFER))) {
            TarArchiveEntry first = tar.getNextEntry();
            if (first == null || !first.getName().equals(SnapshotManifest.FILE)) {
                throw new Snapshot.Unusable("it does not begin with a manifest");
            }
            SnapshotManifest manifest = Json.read(tar, SnapshotManifest.class);
            Snapshot.requireFor(key, versions, manifest);
            target.requireSpace(manifest.bytes() + Snapshot.HEADROOM_BYTES);
            SortedMap<String, Long> written = new TreeMap<>();
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                String name = entry.getName();
                if (!manifest.files().containsKey(name)) {
                    throw new Snapshot.Unusable("it holds " + name + ", which its manifest does not name");
                }
                written.put(name, target.write(name, tar));
            }
            Snapshot.requireSameFiles(manifest.files(), written);
            return manifest;
        }
    }

    void drop() throws IOException {
        Files.deleteIfExists(checksumFile());
        Files.deleteIfExists(file);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
