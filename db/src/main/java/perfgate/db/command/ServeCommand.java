package perfgate.db.command;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import perfgate.db.Fault;
import perfgate.db.Shutdown;
import perfgate.db.snapshot.SnapshotCache;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "serve",
        description = "Serves a fresh copy of the snapshot until it is stopped; db/README.md describes the protocol.")
final class ServeCommand implements Callable<Integer> {

    /** Handles an event, and returns the line to print. Stopping is no event: it ends the process from any state. */
    private interface Event {
        Record handle(ServedData data) throws IOException, InterruptedException;
    }

    private static final String CHANGE = "(kill|start|freeze|thaw) (database|redis|kafka|replica)";

    @Option(
            names = "--work",
            required = true,
            paramLabel = "DIR",
            description = "Directory of the served copy, for one serve at a time.")
    private Path work;

    @Option(
            names = "--kafka",
            description = "Serves an empty Kafka too. The ready line does not wait until it answers.")
    private boolean withKafka;

    @Option(
            names = "--replica",
            arity = "0..1",
            defaultValue = "${env:DB_REPLICA:-false}",
            fallbackValue = "true",
            description = "Serves a read-only replica of the database too (default: the variable DB_REPLICA)."
                    + " The ready line waits until it has caught up.")
    private boolean withReplica;

    @Option(
            names = "--empty",
            description = "Serves an empty database and Redis instead of the snapshot, and needs no --cache.")
    private boolean empty;

    @Option(
            names = "--slow-log",
            description = "Writes statements that take half a second or longer to slow.log in --work.")
    private boolean withSlowLog;

    @Option(
            names = "--mariadb-options",
            defaultValue = "${env:MARIADB_OPTIONS}",
            split = " ",
            paramLabel = "OPTION",
            description = "Further options of mariadbd (default: the variable MARIADB_OPTIONS).")
    private List<String> databaseOptions = List.of();

    private final Main main;
    private final Shutdown shutdown;
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();

    ServeCommand(Main main, Shutdown shutdown) {
        this.main = main;
        this.shutdown = shutdown;
    }

    /** Ends only with an exception, or because another thread ends the process. */
    @Override
    public Integer call() throws IOException, InterruptedException {
        Thread.ofPlatform().daemon().name("stdin").start(this::readCommands);
        Consumer<Fault> whenFailed = fault -> events.add(_ -> {
            throw fault;
        });
        Path directory = work.toAbsolutePath().normalize();
        Optional<SnapshotCache> cache = empty ? Optional.empty() : Optional.of(main.cache());
        try (var data = new ServedData(
                        directory, cache, withKafka, withReplica, withSlowLog, databaseOptions, shutdown, whenFailed);
                var _ = shutdown.register(() -> data.end(main.failed()))) {
            try {
                Main.print(data.start());
                while (true) {
                    Main.print(events.take().handle(data));
                }
            } catch (IOException | InterruptedException | RuntimeException e) {
                // Reported before the clean-up, which takes a while.
                throw main.report(e);
            }
        }
    }

    /**
     * Reads the parent's commands. The end of the input is one too, because it shows that the parent was killed. It
     * must not wait for a seed or a restore.
     */
    private void readCommands() {
        try {
            var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            in.lines()
                    .map(String::strip)
                    .takeWhile(line -> !line.equals("stop"))
                    .forEach(line -> {
                        if (line.equals("restore")) {
                            events.add(ServedData::restore);
                        } else if (line.matches(CHANGE)) {
                            events.add(data -> data.change(line));
                        } else if (!line.isEmpty()) {
                            Shutdown.note("unknown command: " + line + " (restore, stop, " + CHANGE + ")");
                        }
                    });
        } finally {
            System.exit(0);
        }
    }
}
