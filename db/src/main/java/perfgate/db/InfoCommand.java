package perfgate.db;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "info", description = "Tells the snapshot's key and whether it is there, without starting anything.")
final class InfoCommand implements Callable<Integer> {

    /** Printed on stdout as one line. */
    private record Result(String key, String directory, boolean present, String engines, int format) {}

    @Mixin
    private final CacheOption cache = new CacheOption();

    private final Shutdown shutdown;

    InfoCommand(Shutdown shutdown) {
        this.shutdown = shutdown;
    }

    @Override
    public Integer call() throws Exception {
        EngineVersions versions = EngineVersions.packaged();
        var snapshots = new SnapshotCache(cache.directory(), versions, shutdown);
        System.out.println(Json.line(new Result(
                snapshots.key().value(),
                snapshots.directory().toString(),
                snapshots.find().isPresent(),
                versions.id(),
                SnapshotKey.FORMAT)));
        return 0;
    }
}
