package perfgate.db;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

/** The directories that servers in other containers will run on: a volume each. */
record RestoreTarget(Path mariaDb, Path redis) {
    /**
     * Written last. mariadbd is told to run it and does not start without it, so that it can never start on data that
     * was restored by half.
     */
    static final String INIT_FILE = "perf-gate-init.sql";

    /** Held by a running mariadbd, whatever container it is in. */
    private static final String LOCKED_BY_SERVER = "ibdata1";

    Map<String, Path> byFolder() {
        return Map.of(Snapshot.MARIADB, mariaDb, Snapshot.REDIS, redis);
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
    void clear() throws IOException {
        Files.deleteIfExists(mariaDb.resolve(INIT_FILE));
        DirectoryTree.clear(mariaDb);
        DirectoryTree.clear(redis);
    }

    /** Hands all to the servers' user and makes it usable. */
    void finish(Owner owner, String password) throws IOException {
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
