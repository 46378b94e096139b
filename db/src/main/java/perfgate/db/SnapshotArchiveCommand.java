package perfgate.db;

import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "archive", description = "Makes sure that a sound archive of the seeded snapshot exists.")
final class SnapshotArchiveCommand implements Callable<Integer> {

    /** Printed on stdout as one line. */
    private record Result(String key, String file, long bytes, String rebuilt, Map<String, Long> timingsMs) {}

    @Mixin
    private final CacheOption cache = new CacheOption();

    @Mixin
    private final ArchivesOption archives = new ArchivesOption();

    private final Shutdown shutdown;

    SnapshotArchiveCommand(Shutdown shutdown) {
        this.shutdown = shutdown;
    }

    @Override
    public Integer call() throws Exception {
        Platform.current().requireSupported();
        var snapshots = new SnapshotCache(cache.directory(), EngineVersions.packaged(), shutdown);
        ArchiveCache.Found found = new ArchiveCache(archives.directory(), snapshots).ensure();
        System.out.println(Json.line(new Result(
                snapshots.key().value(),
                found.archive().file().toString(),
                found.archive().bytes(),
                found.rebuilt(),
                found.timingsMs())));
        return 0;
    }
}
