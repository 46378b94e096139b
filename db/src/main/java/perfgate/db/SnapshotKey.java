package perfgate.db;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Names a snapshot by everything that its content follows from: equal keys mean equal data. */
record SnapshotKey(String value) {
    /** Raised whenever the layout of a snapshot directory or the way it is made changes. */
    static final int FORMAT = 1;

    static final String MIGRATIONS = "db/migration";
    static final String SEED = "db/seed";

    private static final int HEX_DIGITS = 16;

    static SnapshotKey of(EngineVersions versions) {
        try {
            var sha256 = MessageDigest.getInstance("SHA-256");
            add(sha256, "format", Integer.toString(FORMAT).getBytes(StandardCharsets.UTF_8));
            add(sha256, "engines", versions.id().getBytes(StandardCharsets.UTF_8));
            for (String folder : new String[] {MIGRATIONS, SEED}) {
                for (String name : Resources.names(folder)) {
                    add(sha256, folder + "/" + name, Resources.bytes(folder + "/" + name));
                }
            }
            return new SnapshotKey(HexFormat.of().formatHex(sha256.digest()).substring(0, HEX_DIGITS));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Name and length go in too, so that moving a line from one file to the next changes the key. */
    private static void add(MessageDigest digest, String name, byte[] content) {
        digest.update((name + "\0" + content.length + "\0").getBytes(StandardCharsets.UTF_8));
        digest.update(content);
    }

    @Override
    public String toString() {
        return value;
    }
}
