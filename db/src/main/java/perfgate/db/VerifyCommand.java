package perfgate.db;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "verify", description = "Restores the snapshot elsewhere and compares what it holds with the seed.")
final class VerifyCommand implements Callable<Integer> {
    @Mixin
    private final CacheOption cache = new CacheOption();

    private final Shutdown shutdown;

    VerifyCommand(Shutdown shutdown) {
        this.shutdown = shutdown;
    }

    @Override
    public Integer call() throws Exception {
        Platform.current().requireSupported();
        EngineVersions versions = EngineVersions.packaged();
        var snapshots = new SnapshotCache(cache.directory(), versions, shutdown);
        Snapshot snapshot = snapshots
                .find()
                .orElseThrow(() -> new Fault(
                        Fault.Code.SNAPSHOT_MISSING,
                        snapshots.directory().toString(),
                        "there is no snapshot to verify",
                        "run seed with the same --cache"));
        Engines engines = Engines.in(cache.directory(), versions);
        Path copy = Files.createTempDirectory("perf-gate-verify");
        var database = MariaDbServer.toSeed(
                engines, copy.resolve(Snapshot.MARIADB), copy.resolve(MariaDbServer.NAME + ".log"));
        var redis = RedisServer.toSeed(engines, copy.resolve(Snapshot.REDIS), copy.resolve(RedisServer.NAME + ".log"));
        var servers = new ServerGroup(List.of(database, redis));
        try (var _ = shutdown.register(() -> {
            servers.kill();
            DirectoryTree.remove(copy);
        })) {
            snapshot.restoreTo(copy);
            servers.start();
            Verification verification = Verification.of(database, redis);
            System.out.print(verification.table());
            return verification.passed() ? 0 : 1;
        }
    }
}
