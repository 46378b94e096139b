package perfgate.db.snapshot;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import perfgate.db.Directories;
import perfgate.db.Disk;
import perfgate.db.Fault;
import perfgate.db.server.MariaDbServer;

/**
 * The data directories of servers in other containers. One thread restores; another abandons the work when the process
 * is asked to end, and nothing is written afterwards.
 */
public final class DataDirectories {
    private final Path mariaDb;
    private final Path redis;
    private boolean abandoned;
    private boolean restored;

    public DataDirectories(Path mariaDb, Path redis) throws IOException {
        this.mariaDb = Files.createDirectories(mariaDb).toRealPath();
        this.redis = Files.createDirectories(redis).toRealPath();
    }

    /** A running mariadbd holds a lock on its first file, whatever container it runs in. */
    public void requireUnused() throws IOException {
        Path file = mariaDb.resolve("ibdata1");
        if (!Files.exists(file)) {
            return;
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            if (channel.tryLock() == null) {
                String next = "take the stack down first: docker compose down -v";
                throw new Fault(Fault.Code.VOLUME_IN_USE, mariaDb, "a database server runs on this data", next);
            }
        }
    }

    void requireSpace(long bytes) throws IOException {
        Disk.require(mariaDb, bytes, "restoring the data");
        Disk.require(redis, bytes, "restoring the data");
    }

    /** Removes the init file first, because no server starts without it. */
    public synchronized void clear() throws IOException {
        Files.deleteIfExists(mariaDb.resolve(MariaDbServer.INIT_FILE));
        Directories.clear(mariaDb);
        Directories.clear(redis);
    }

    /** Empties the directories unless they hold the complete data. */
    public synchronized void abandon() {
        abandoned = true;
        if (!restored) {
            try {
                clear();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /**
     * Replaces what the directories hold with the archived data.
     *
     * @param owner of the restored files as chown takes it
     * @param password of the service's database account
     */
    public Snapshot.Manifest restore(SnapshotArchive archive, String owner, String password) throws IOException {
        // Again, because the cache may be in here; its seed is in the archive by now.
        clear();
        Snapshot.Manifest manifest = archive.unpack(this);
        finish(owner, password);
        return manifest;
    }

    /**
     * Writes one file of a snapshot.
     *
     * @param name in the snapshot, which begins with the server's folder
     * @return bytes written
     */
    synchronized long write(String name, InputStream in) throws IOException {
        requireWanted();
        Path path = Path.of(name).normalize();
        Path root =
                Map.of("mariadb", mariaDb, "redis", redis).get(path.getName(0).toString());
        if (root == null || path.getNameCount() < 2) {
            throw Snapshot.unusable("it holds " + name + ", which is outside the servers' directories");
        }
        Path file = root.resolve(path.subpath(1, path.getNameCount()));
        Directories.createPrivate(file.getParent());
        try {
            return Files.copy(in, file);
        } catch (IOException e) {
            if (Disk.reportsFull(String.valueOf(e.getMessage()))) {
                throw Disk.full(root, "the disk became full while restoring the data");
            }
            throw e;
        }
    }

    private void requireWanted() {
        if (abandoned) {
            throw new Fault(Fault.Code.INTERRUPTED, mariaDb, "the restore was stopped", "run it again");
        }
    }

    /** Writes the init file last, so that mariadbd cannot start on incomplete data. */
    private synchronized void finish(String owner, String password) throws IOException {
        requireWanted();
        Path building = mariaDb.resolve(MariaDbServer.INIT_FILE + ".building");
        Files.createFile(building, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(building, initStatements(password));
        Directories.chown(owner, mariaDb);
        Directories.chown(owner, redis);
        Files.move(building, mariaDb.resolve(MariaDbServer.INIT_FILE));
        restored = true;
    }

    /**
     * Replaces the snapshot's own account, whose password is well known. The account of mysqld_exporter has no rights,
     * because reading the global status needs none.
     */
    private static String initStatements(String password) {
        String quoted = password.replace("\\", "\\\\").replace("'", "''");
        return """
                DROP USER IF EXISTS perfgate@'127.0.0.1';
                CREATE OR REPLACE USER perfgate@'%%' IDENTIFIED BY '%1$s';
                GRANT ALL PRIVILEGES ON perfgate.* TO perfgate@'%%';
                CREATE OR REPLACE USER exporter@'%%' IDENTIFIED BY '%1$s' WITH MAX_USER_CONNECTIONS 3;
                """.formatted(quoted);
    }
}
