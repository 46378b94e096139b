package perfgate.db.snapshot;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.apache.commons.codec.binary.Hex;
import org.apache.commons.codec.digest.DigestUtils;
import org.apache.commons.io.file.PathUtils;
import perfgate.db.Directories;
import perfgate.db.Disk;
import perfgate.db.Fault;
import perfgate.db.Resources;
import perfgate.db.seed.Seeder;
import perfgate.db.seed.Verification;
import perfgate.db.server.Engines;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** A directory with the data of both servers as a clean stop left it. */
public record Snapshot(Path directory, Manifest manifest) {
    /** Raise it whenever the layout of a snapshot, or the way it is made, changes. */
    public static final int FORMAT = 1;

    private static final int KEY_DIGITS = 16;

    /** Names a snapshot by everything that determines its content, so equal keys mean equal data. */
    public static final String KEY = key();

    /** Room for the redo log and the temporary tables of a serving mariadbd, and for what the load adds. */
    static final long HEADROOM_BYTES = 512L << 20;

    /**
     * Written last into a snapshot's directory, so a directory without it is incomplete.
     *
     * @param engines {@link Engines#ID} of the servers that wrote the data
     * @param versions by role, as the servers reported them
     * @param verify rows and checksums by table
     * @param files bytes by file name relative to the directory
     */
    public record Manifest(
            int format,
            String key,
            String engines,
            Map<String, String> versions,
            Map<String, Verification.Table> verify,
            SortedMap<String, Long> files) {
        static final String FILE = "manifest.json";

        public long bytes() {
            return files.values().stream().mapToLong(Long::longValue).sum();
        }

        /** Reads a manifest that this very program can use. */
        static Manifest parse(byte[] json) {
            try {
                Manifest manifest = JsonMapper.shared().readValue(json, Manifest.class);
                String found = "key %s, %s, format %d".formatted(manifest.key, manifest.engines, manifest.format);
                String needed = "key %s, %s, format %d".formatted(KEY, Engines.ID, FORMAT);
                if (!found.equals(needed)) {
                    throw unusable("it has " + found + ", but this program needs " + needed);
                }
                return manifest;
            } catch (JacksonException e) {
                throw unusable("its manifest cannot be read: " + e.getOriginalMessage());
            }
        }

        void requireFiles(Map<String, Long> found) {
            for (Map.Entry<String, Long> file : files.entrySet()) {
                Long size = found.get(file.getKey());
                if (!file.getValue().equals(size)) {
                    String problem =
                            size == null ? "is missing" : "has %d bytes, not %d".formatted(size, file.getValue());
                    throw unusable("it is corrupt: " + file.getKey() + " " + problem);
                }
            }
        }
    }

    static Fault unusable(String cause) {
        String next = "remove it, and the next run makes it again";
        return new Fault(Fault.Code.SNAPSHOT_UNUSABLE, "snapshot " + KEY, cause, next);
    }

    private static String key() {
        MessageDigest digest = DigestUtils.getSha256Digest();
        add(digest, "format", Integer.toString(FORMAT).getBytes(StandardCharsets.UTF_8));
        add(digest, "engines", Engines.ID.getBytes(StandardCharsets.UTF_8));
        for (String folder : List.of(Resources.MIGRATIONS, Resources.SEED)) {
            Resources.folder(folder).forEach((name, content) -> add(digest, folder + "/" + name, content));
        }
        return Hex.encodeHexString(digest.digest()).substring(0, KEY_DIGITS);
    }

    /** Adds name and length too, so that moving a line from one file to the next changes the key. */
    private static void add(MessageDigest digest, String name, byte[] content) {
        digest.update((name + "\0" + content.length + "\0").getBytes(StandardCharsets.UTF_8));
        digest.update(content);
    }

    /** Opens a directory if it is complete and current. */
    static Snapshot open(Path directory) throws IOException {
        try {
            Manifest manifest = Manifest.parse(Files.readAllBytes(directory.resolve(Manifest.FILE)));
            manifest.requireFiles(Directories.sizes(directory));
            return new Snapshot(directory, manifest);
        } catch (NoSuchFileException e) {
            throw unusable("it is half-written: it has no manifest");
        }
    }

    /** Completes a directory that was just seeded. */
    static Manifest complete(Path directory, Seeder.Seeded seeded) throws IOException {
        var manifest =
                new Manifest(FORMAT, KEY, Engines.ID, seeded.versions(), seeded.verify(), Directories.sizes(directory));
        JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValue(directory.resolve(Manifest.FILE), manifest);
        return manifest;
    }

    /** Copies the data to a fresh directory. On Btrfs and XFS the kernel shares the blocks (reflink). */
    public void restoreTo(Path target) throws IOException {
        Disk.require(Directories.createPrivate(target), manifest.bytes() + HEADROOM_BYTES, "restoring the data");
        for (String server : List.of("mariadb", "redis")) {
            PathUtils.copyDirectory(directory.resolve(server), target.resolve(server));
        }
    }
}
