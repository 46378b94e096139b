package perfgate.db;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

/**
 * The directories that servers in other containers will run on: a volume each. One thread writes, and another may
 * abandon the work at any time, when the process is asked to end: nothing is written from then on.
 */
final class RestoreTarget {
    /**
     * Written last. mariadbd is told to run it and does not start without it, so that it can never start on data that
     * was restored by half.
     */
    static final String INIT_FILE = "perf-gate-init.sql";

    /** Held by a running mariadbd, whatever container it is in. */
    private static final String LOCKED_BY_SERVER = "ibdata1";

    private final Path mariaDb;
    private final Path redis;
    private boolean abandoned;

    RestoreTarget(Path mariaDb, Path redis) {
        this.mariaDb = mariaDb;
        this.redis = redis;
    }

    Owner owner() throws IOException {
        return Owner.of(mariaDb);
    }

    void requireSpace(long bytes) throws IOException {
        DiskSpace.require(mariaDb, bytes, "restoring the data");
        DiskSpace.require(redis, bytes, "restoring the data");
    }

    void requireUnused() throws IOException {
        Path file = mariaDb.resolve(LOCKED_BY_SERVER);
        if (!Files.exists(file)) {
            return;
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            if (channel.tryLock() == null) {
                throw new Fault(
                        Fault.Code.VOLUME_IN_USE,
                        mariaDb.toString(),
                        "a database server runs on the data that is to be restored",
                        "take the stack down first: docker compose down -v");
            }
        }
    }

    /** What makes it usable goes first, then the rest. */
    synchronized void clear() throws IOException {
        Files.deleteIfExists(mariaDb.resolve(INIT_FILE));
        DirectoryTree.clear(mariaDb);
        DirectoryTree.clear(redis);
    }

    synchronized void abandon() throws IOException {
        abandoned = true;
        clear();
    }

    /**
     * Writes one file of a snapshot.
     *
     * @param name as the snapshot names it, the server's folder first
     * @return bytes written
     */
    synchronized long write(String name, InputStream in) throws Snapshot.Unusable, IOException {
        requireWanted();
        String folder = name.substring(0, Math.max(0, name.indexOf('/')));
        Path root = Map.of(Snapshot.MARIADB, mariaDb, Snapshot.REDIS, redis).get(folder);
        if (root == null) {
            throw new Snapshot.Unusable("it holds " + name + ", which belongs to no server");
        }
        Path file = root.resolve(name.substring(folder.length() + 1)).normalize();
        if (!file.startsWith(root)) {
            throw new Snapshot.Unusable("it holds " + name + ", which leads out of the directory");
        }
        DirectoryTree.createPrivate(file.getParent());
        try {
            return Files.copy(in, file);
        } catch (IOException e) {
            if (DiskWatch.tellsOfFullDisk(String.valueOf(e.getMessage()))) {
                throw DiskSpace.full(root, "the disk became full while restoring the data");
            }
            throw e;
        }
    }

    private void requireWanted() {
        if (abandoned) {
            throw new Fault(
                    Fault.Code.INTERRUPTED, mariaDb.toString(), "asked to stop while restoring", "run it again");
        }
    }

    /** Hands all to the servers' user and makes it usable. */
    synchronized void finish(Owner owner, String password) throws IOException {
        requireWanted();
        owner.giveTree(mariaDb);
        owner.giveTree(redis);
        Path building = mariaDb.resolve(INIT_FILE + ".building");
        Files.createFile(building, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(building, initStatements(password));
        owner.give(building);
        Files.move(building, mariaDb.resolve(INIT_FILE));
    }

    /** The snapshot's own account has a well-known password and is for a service on the same machine. */
    private static String initStatements(String password) {
        String quoted = password.replace("\\", "\\\\").replace("'", "''");
        return """
                DROP USER IF EXISTS perfgate@'127.0.0.1';
                CREATE OR REPLACE USER perfgate@'%%' IDENTIFIED BY '%s';
                GRANT ALL PRIVILEGES ON perfgate.* TO perfgate@'%%';
                """.formatted(quoted);
    }
}
