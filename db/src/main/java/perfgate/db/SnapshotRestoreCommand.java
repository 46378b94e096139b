package perfgate.db;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.NullUnmarked;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@NullUnmarked
@Command(
        name = "restore",
        description = {
            "Puts the archived snapshot where servers of other containers find it, whatever is there now.",
            "DB_PASSWORD in the environment becomes the password of the service's database account."
        })
final class SnapshotRestoreCommand implements Runnable {
    @Mixin
    private final CacheOption cache = new CacheOption();

    @Mixin
    private final ArchivesOption archives = new ArchivesOption();

    @Option(names = "--mariadb", required = true, paramLabel = "DIR", description = "MariaDB's data directory.")
    private Path mariaDb;

    @Option(names = "--redis", required = true, paramLabel = "DIR", description = "Redis's data directory.")
    private Path redis;

    @Option(
            names = "--owner",
            paramLabel = "UID:GID",
            converter = OwnerConverter.class,
            description = "Whom the restored files belong to; whoever runs this if not given.")
    private Owner owner;

    private final Shutdown shutdown;

    SnapshotRestoreCommand(Shutdown shutdown) {
        this.shutdown = shutdown;
    }

    @Override
    public void run() {
        try {
            System.out.println(Json.line(restore()));
        } catch (Exception e) {
            Fault fault = Main.fault(e);
            if (!shutdown.begun()) {
                System.out.println(Json.line(fault.notReady()));
            }
            throw fault;
        }
    }

    private ServeMessage.Restored restore() throws IOException, InterruptedException {
        Platform.current().requireSupported();
        String password = password();
        var target = new RestoreTarget(
                Files.createDirectories(mariaDb).toRealPath(),
                Files.createDirectories(redis).toRealPath());
        EngineVersions versions = EngineVersions.packaged();
        var snapshots = new SnapshotCache(cache.directory(), versions, shutdown);
        var timings = new Timings();
        target.requireUnused();
        var usable = new AtomicBoolean();
        return timings.time("total", () -> {
            try (var _ = shutdown.register(() -> abandonUnless(usable, target))) {
                target.clear();
                ArchiveCache.Found found = new ArchiveCache(archives.directory(), snapshots).ensure();
                SnapshotManifest manifest = timings.time("restore", () -> {
                    // Once more: the cache may lie in there, and what was seeded in it is in the archive now.
                    target.clear();
                    SnapshotManifest restored = unpack(found.archive(), snapshots.key(), versions, target);
                    target.finish(owner == null ? target.owner() : owner, password);
                    return restored;
                });
                usable.set(true);
                var millis = found.timingsMs();
                millis.putAll(timings.millis());
                millis.remove("total");
                return new ServeMessage.Restored(
                        true,
                        manifest.key(),
                        manifest.versions(),
                        found.archive().bytes(),
                        found.rebuilt(),
                        millis);
            }
        });
    }

    private static String password() {
        String password = System.getenv("DB_PASSWORD");
        if (password == null || password.isEmpty() || password.chars().anyMatch(Character::isISOControl)) {
            throw new Fault(
                    Fault.Code.USAGE,
                    "DB_PASSWORD",
                    "it is not set, or holds control characters",
                    "set it to any text of printable characters");
        }
        return password;
    }

    private static SnapshotManifest unpack(
            SnapshotArchive archive, SnapshotKey key, EngineVersions versions, RestoreTarget target)
            throws IOException {
        try {
            return archive.unpack(key, versions, target);
        } catch (Snapshot.Unusable e) {
            throw new Fault(
                    Fault.Code.SNAPSHOT_UNUSABLE,
                    archive.file().toString(),
                    String.valueOf(e.getMessage()),
                    "remove the file, and it is made anew");
        }
    }

    private static void abandonUnless(AtomicBoolean usable, RestoreTarget target) {
        if (!usable.get()) {
            try {
                target.abandon();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
