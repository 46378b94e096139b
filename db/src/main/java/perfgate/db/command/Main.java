package perfgate.db.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import perfgate.db.Directories;
import perfgate.db.Fault;
import perfgate.db.Shutdown;
import perfgate.db.seed.Verification;
import perfgate.db.server.Engines;
import perfgate.db.server.MariaDbServer;
import perfgate.db.server.RedisServer;
import perfgate.db.server.Server;
import perfgate.db.snapshot.Snapshot;
import perfgate.db.snapshot.SnapshotCache;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import tools.jackson.databind.json.JsonMapper;

/** The command line: runs the commands and converts failures to exit codes. */
@Command(
        name = "perf-gate-db",
        description = "Seeds, keeps, restores and serves the reference service's data.",
        mixinStandardHelpOptions = true)
public final class Main {
    private final Shutdown shutdown;
    private Path cache;
    private boolean failed;

    private Main(Shutdown shutdown) {
        this.shutdown = shutdown;
    }

    public static void main(String[] args) {
        // The driver's messages arrive as exceptions too, so the console would show them twice.
        System.setProperty("mariadb.logging.disable", "true");
        Shutdown shutdown = Shutdown.installed();
        var main = new Main(shutdown);
        System.exit(new CommandLine(main)
                .addSubcommand(new ServeCommand(main, shutdown))
                .addSubcommand(new SnapshotCommand(main, shutdown))
                .setParameterExceptionHandler((exception, _) -> {
                    Shutdown.note(
                            new Fault(Fault.Code.USAGE, "command line", exception.getMessage(), "see --help").text());
                    return Fault.Code.USAGE.exitCode;
                })
                .setExecutionExceptionHandler(
                        (exception, _, _) -> main.report(exception).code().exitCode)
                .execute(args));
    }

    /** Reports a failure to programs and people, once, and not when it is caused by the end of this process. */
    Fault report(Exception exception) {
        Fault fault = Fault.of(exception);
        if (!failed && !shutdown.begun()) {
            failed = true;
            print(fault.notReady());
            Shutdown.note(fault.text());
        }
        return fault;
    }

    boolean failed() {
        return failed;
    }

    @Option(
            names = "--cache",
            scope = ScopeType.INHERIT,
            paramLabel = "DIR",
            description = "Directory of the unpacked servers and the snapshots.")
    void setCache(Path path) {
        cache = path.toAbsolutePath().normalize();
    }

    SnapshotCache cache() {
        if (cache == null) {
            String cause = "Missing required option: '--cache=DIR'";
            throw new Fault(Fault.Code.USAGE, "command line", cause, "see --help");
        }
        return new SnapshotCache(cache, shutdown);
    }

    /** Prints one line on stdout, which carries only JSON for programs. */
    static void print(Object message) {
        System.out.println(JsonMapper.shared().writeValueAsString(message));
        System.out.flush();
    }

    /** The line that `seed` prints; seedMillis is 0 if the snapshot was present. */
    private record Seeded(String key, long seedMillis, long bytes, Map<String, Verification.Table> verify) {}

    @Command(description = "Makes sure that the seeded snapshot exists.")
    void seed() throws IOException, InterruptedException {
        SnapshotCache.Found found = cache().ensure();
        Snapshot.Manifest manifest = found.snapshot().manifest();
        print(new Seeded(Snapshot.KEY, found.seedMillis(), manifest.bytes(), manifest.verify()));
    }

    /** The line that `info` prints. */
    private record Info(String key, String directory, boolean present, String engines, int format) {}

    @Command(description = "Prints the snapshot's key and whether it is present, without starting anything.")
    void info() throws IOException {
        boolean present = cache().find().isPresent();
        print(new Info(Snapshot.KEY, cache().directory().toString(), present, Engines.ID, Snapshot.FORMAT));
    }

    @Command(description = "Restores the snapshot to a temporary directory and compares what it holds with the seed.")
    int verify() throws IOException, InterruptedException {
        String next = "run seed with the same --cache";
        Snapshot snapshot = cache().find()
                .orElseThrow(() -> new Fault(Fault.Code.SNAPSHOT_MISSING, cache, "there is no snapshot", next));
        Path copy = Files.createTempDirectory("perf-gate-verify");
        var database = MariaDbServer.toSeed(copy, copy);
        var redis = new RedisServer(copy, copy);
        List<Server> servers = List.of(database, redis);
        try (var _ = shutdown.register(() -> {
            servers.forEach(Server::kill);
            Directories.remove(copy);
        })) {
            snapshot.restoreTo(copy);
            Server.startAll(servers);
            Verification verification = Verification.of(database, redis);
            verification.lines().forEach(System.out::println);
            return verification.passed() ? 0 : 1;
        }
    }
}
