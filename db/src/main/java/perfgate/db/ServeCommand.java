package perfgate.db;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.NullUnmarked;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@NullUnmarked
@Command(
        name = "serve",
        description = "Serves a fresh copy of the snapshot until told to stop: see the protocol in db/README.md.")
final class ServeCommand implements Runnable {

    /** What the launcher has to react to while it serves. Stopping is none: it ends the process from any state. */
    private sealed interface Event {
        record Restore() implements Event {}

        record Died(ServerProcess process) implements Event {}

        record DiskFull() implements Event {}
    }

    @Mixin
    private final CacheOption cache = new CacheOption();

    @Option(
            names = "--work",
            required = true,
            paramLabel = "DIR",
            description = "Directory of the copy that is served; for one serve at a time.")
    private Path workPath;

    @Option(names = "--port-db", paramLabel = "N", description = "MariaDB's port; a free one if not given.")
    private int databasePort;

    @Option(names = "--port-redis", paramLabel = "N", description = "Redis's port; a free one if not given.")
    private int redisPort;

    @Option(
            names = "--kafka",
            description = "Serves an empty Kafka too. The ready line does not wait until it answers.")
    private boolean withKafka;

    @Option(names = "--port-kafka", paramLabel = "N", description = "Kafka's port; a free one if not given.")
    private int kafkaPort;

    private final Shutdown shutdown;
    private boolean announced;
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();

    ServeCommand(Shutdown shutdown) {
        this.shutdown = shutdown;
    }

    @Override
    public void run() {
        try {
            serve();
        } catch (Exception e) {
            throw announced(e);
        }
    }

    private void serve() throws IOException, InterruptedException {
        Platform.current().requireSupported();
        Thread.ofPlatform().daemon().name("stdin").start(this::obey);
        EngineVersions versions = EngineVersions.packaged();
        try (WorkDirectory work = WorkDirectory.open(workPath)) {
            int chosenDatabasePort = LoopbackPorts.choose(databasePort, "--port-db");
            int chosenRedisPort = LoopbackPorts.choose(redisPort, "--port-redis");
            var timings = new Timings();
            var snapshots = new SnapshotCache(cache.directory(), versions, shutdown);
            SnapshotCache.Found found = timings.time("seed", snapshots::ensure);
            if (!found.seeded()) {
                timings.none("seed");
            }
            Engines engines = Engines.in(cache.directory(), versions);
            var session =
                    new ServeSession(work, found.snapshot(), engines, chosenDatabasePort, chosenRedisPort, kafka(work));
            try (var _ = shutdown.register(session::end);
                    var watch = new DiskWatch(work.path(), () -> events.add(new Event.DiskFull()))) {
                obeyEvents(session, work, watch, timings);
            }
        }
    }

    private void obeyEvents(ServeSession session, WorkDirectory work, DiskWatch watch, Timings timings) {
        try {
            session.launchKafka(this::died);
            session.start(timings, this::died);
            print(session.ready(timings.millis()));
            while (true) {
                react(session, work, watch, events.take());
            }
        } catch (Exception e) {
            session.failed();
            // Told before the clean-up, which takes a while.
            throw announced(e);
        }
    }

    private Optional<KafkaServer> kafka(WorkDirectory work) {
        if (!withKafka) {
            return Optional.empty();
        }
        int port = LoopbackPorts.choose(kafkaPort, "--port-kafka");
        return Optional.of(new KafkaServer(work.kafka(), work.log(KafkaServer.NAME), port));
    }

    private void react(ServeSession session, WorkDirectory work, DiskWatch watch, Event event)
            throws IOException, InterruptedException {
        switch (event) {
            case Event.Restore() -> {
                var timings = new Timings();
                timings.none("seed");
                session.restore(timings, this::died);
                print(session.ready(timings.millis()));
            }
            case Event.Died(ServerProcess process) -> {
                throw watch.ranShort() ? fullWhileServing(work) : process.died(Fault.Code.SERVER_DIED);
            }
            case Event.DiskFull() -> throw fullWhileServing(work);
        }
    }

    private static Fault fullWhileServing(WorkDirectory work) {
        return DiskSpace.full(work.path(), "the disk became full while serving");
    }

    private void died(ServerProcess process) {
        events.add(new Event.Died(process));
    }

    private Fault announced(Exception exception) {
        Fault fault = Main.fault(exception);
        if (!announced && !shutdown.begun()) {
            announced = true;
            print(fault.notReady());
        }
        return fault;
    }

    /**
     * Reads the parent's commands. The end of the input is a command too: it is how a parent that was killed says so,
     * and it must not have to wait for a seed or a restore that is under way.
     */
    private void obey() {
        try (var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                switch (line.strip()) {
                    case "restore" -> events.add(new Event.Restore());
                    case "stop" -> {
                        System.exit(0);
                        return;
                    }
                    case "" -> {}
                    default -> Progress.say("not a command: " + line + " (restore, stop)");
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            System.exit(0);
        }
    }

    private static void print(ServeMessage message) {
        System.out.println(Json.line(message));
        System.out.flush();
    }
}
