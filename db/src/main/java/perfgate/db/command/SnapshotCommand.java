package perfgate.db.command;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import perfgate.db.Fault;
import perfgate.db.Shutdown;
import perfgate.db.Timings;
import perfgate.db.snapshot.DataDirectories;
import perfgate.db.snapshot.Snapshot;
import perfgate.db.snapshot.SnapshotArchive;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

@Command(
        name = "snapshot",
        description = "Keeps the seeded snapshot as one file, and restores it for servers in containers.")
final class SnapshotCommand {
    private final Main main;
    private final Shutdown shutdown;

    @Option(
            names = "--archives",
            required = true,
            scope = ScopeType.INHERIT,
            paramLabel = "DIR",
            description = "Directory of the archived snapshots.")
    private Path archives;

    SnapshotCommand(Main main, Shutdown shutdown) {
        this.main = main;
        this.shutdown = shutdown;
    }

    private SnapshotArchive.Found ensure(Timings timings) throws IOException, InterruptedException {
        return SnapshotArchive.ensure(archives.toAbsolutePath().normalize(), main.cache(), timings);
    }

    /** The line that `archive` prints. */
    private record Archived(String key, String file, long bytes, String rebuilt, Map<String, Long> timingsMs) {}

    @Command(description = "Makes sure that a sound archive of the seeded snapshot exists.")
    void archive() throws IOException, InterruptedException {
        var timings = new Timings();
        SnapshotArchive.Found found = ensure(timings);
        SnapshotArchive archive = found.archive();
        Main.print(new Archived(
                Snapshot.KEY, archive.file().toString(), archive.bytes(), found.rebuilt(), timings.millis()));
    }

    /**
     * The line that `restore` prints.
     *
     * @param rebuilt why the archive was made again, or "" if it could be used as it was
     * @param timingsMs milliseconds of check, seed and pack (0 if the archive was usable), and restore
     */
    private record Restored(
            boolean ready,
            String dataKey,
            Map<String, String> versions,
            long archiveBytes,
            String rebuilt,
            Map<String, Long> timingsMs) {}

    @Command(
            description = {
                "Replaces what two volumes hold with the archived snapshot, for servers in other containers.",
                "DB_PASSWORD in the environment becomes the password of the service's database account."
            })
    void restore(
            @Option(names = "--mariadb", required = true, paramLabel = "DIR", description = "MariaDB's data directory.")
                    Path mariaDb,
            @Option(names = "--redis", required = true, paramLabel = "DIR", description = "Redis's data directory.")
                    Path redis,
            @Option(
                            names = "--owner",
                            paramLabel = "UID:GID",
                            description = "Owner of the restored files; by default, the owner of MariaDB's directory.")
                    String owner)
            throws IOException, InterruptedException {
        String password = password();
        String ownerOrSame = owner == null ? "--reference=" + mariaDb : owner;
        var directories = new DataDirectories(mariaDb, redis);
        var timings = new Timings();
        directories.requireUnused();
        try (var _ = shutdown.register(directories::abandon)) {
            directories.clear();
            SnapshotArchive.Found found = ensure(timings);
            SnapshotArchive archive = found.archive();
            Snapshot.Manifest manifest;
            try (var _ = timings.start("restore")) {
                manifest = directories.restore(archive, ownerOrSame, password);
            }
            Main.print(new Restored(
                    true, manifest.key(), manifest.versions(), archive.bytes(), found.rebuilt(), timings.millis()));
        }
    }

    private static String password() {
        String password = System.getenv("DB_PASSWORD");
        if (password == null || password.isEmpty() || password.chars().anyMatch(Character::isISOControl)) {
            String next = "set it to any text of printable characters";
            throw new Fault(Fault.Code.USAGE, "DB_PASSWORD", "it is not set, or holds control characters", next);
        }
        return password;
    }
}
