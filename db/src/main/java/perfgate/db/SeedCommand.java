package perfgate.db;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "seed", description = "Makes sure that the seeded snapshot exists.")
final class SeedCommand implements Callable<Integer> {

    /** Printed on stdout as one line. */
    private record Result(
            String key,
            String directory,
            boolean seeded,
            Map<String, Long> timingsMs,
            long bytes,
            Map<String, TableCheck> verify) {}

    @Mixin
    private final CacheOption cache = new CacheOption();

    private final Shutdown shutdown;

    SeedCommand(Shutdown shutdown) {
        this.shutdown = shutdown;
    }

    @Override
    public Integer call() throws Exception {
        Platform.current().requireSupported();
        var snapshots = new SnapshotCache(cache.directory(), EngineVersions.packaged(), shutdown);
        var timings = new Timings();
        SnapshotCache.Found found = timings.time("total", snapshots::ensure);
        var millis = new LinkedHashMap<>(found.timingsMs());
        millis.putAll(timings.millis());
        SnapshotManifest manifest = found.snapshot().manifest();
        System.out.println(Json.line(new Result(
                manifest.key(),
                found.snapshot().directory().toString(),
                found.seeded(),
                millis,
                manifest.bytes(),
                manifest.verify())));
        return 0;
    }
}
