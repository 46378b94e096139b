package perfgate.db.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import perfgate.db.Disk;
import perfgate.db.Fault;
import perfgate.db.Parallel;
import perfgate.db.Shutdown;

/** A server that runs as a child process of this launcher. */
public abstract sealed class Server permits MariaDbServer, RedisServer, KafkaServer {
    private static final int TAIL_LINES = 20;
    private static final int POLL_MILLIS = 15;
    private static final Duration START_BOUND = Duration.ofSeconds(60);
    private static final Duration CLEAN_STOP_BOUND = Duration.ofSeconds(20);
    private static final Duration KILL_BOUND = Duration.ofSeconds(10);

    // setsid: Ctrl-C in a terminal reaches the whole foreground group. It must reach this launcher alone, which then
    // stops the servers in order. setpriv: if this launcher is killed, the kernel kills the servers.
    private static final List<String> LAUNCH_PREFIX = List.of("setpriv", "--pdeathsig", "KILL", "setsid");

    // The kernel sends that signal when the *thread* that started the child ends, so this thread never ends.
    private static final ExecutorService SPAWNER = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("spawner").factory());

    private final String name;
    private final String role;
    private final Path directory;
    private final Path log;
    private volatile Process process;
    private volatile boolean stopping;

    /**
     * @param name the program's name
     * @param role the key of its version in the ready line, whatever the product
     * @param directory its data directory, which is its working directory too
     * @param logs directory of its log, which is replaced at each start
     */
    Server(String name, String role, Path directory, Path logs) {
        this.name = name;
        this.role = role;
        this.directory = directory;
        this.log = logs.resolve(name + ".log");
    }

    String name() {
        return name;
    }

    public Path log() {
        return log;
    }

    public Path directory() {
        return directory;
    }

    public String role() {
        return role;
    }

    /** The program and its arguments. May write files that the program needs to start. */
    abstract List<String> command() throws IOException;

    /** True once this very server, and not another one on its port, is ready. */
    abstract boolean answers(long pid);

    /** The version that the running server reports. */
    abstract String version() throws IOException;

    /** Starts the process and returns once it answers. */
    void start() throws IOException, InterruptedException {
        var command = new ArrayList<>(LAUNCH_PREFIX);
        command.addAll(command());
        var builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        stopping = false;
        try {
            process = SPAWNER.submit(builder::start).get();
        } catch (ExecutionException e) {
            String next = "install util-linux (setpriv and setsid)";
            throw new Fault(Fault.Code.SERVER_START_FAILED, name, e.getCause().getMessage(), next);
        }
        long deadline = System.nanoTime() + START_BOUND.toNanos();
        while (!answers(process.pid())) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                Fault fault = died(Fault.Code.SERVER_START_FAILED);
                kill();
                throw fault;
            }
            Thread.sleep(POLL_MILLIS);
        }
    }

    /** Starts servers at the same time and returns once all answer; if one fails, the others are killed. */
    public static void startAll(List<? extends Server> servers) throws IOException, InterruptedException {
        Parallel.run(
                START_BOUND.multipliedBy(2),
                () -> servers.forEach(Server::kill),
                servers.stream().map(server -> (Parallel.Job) server::start).toList());
    }

    /** Stops servers at the same time, which does nothing to one that is not running. */
    public static void stopAll(List<? extends Server> servers) {
        try (var pool = Executors.newFixedThreadPool(servers.size())) {
            servers.forEach(server -> pool.execute(server::stop));
        }
    }

    /** Versions by role. */
    public static Map<String, String> versions(List<? extends Server> servers) throws IOException {
        var versions = new LinkedHashMap<String, String>();
        for (Server server : servers) {
            versions.put(server.role, server.version());
        }
        return versions;
    }

    /** Calls back if the process that runs now ends without having been stopped. */
    public void whenDead(Consumer<Server> callback) {
        Process running = process;
        running.onExit().thenRun(() -> {
            if (running.equals(process) && !stopping) {
                callback.accept(this);
            }
        });
    }

    /** Sends SIGTERM, which every server takes as a clean stop, and SIGKILL after the bound. */
    void stop() {
        if (process == null) {
            return;
        }
        stopping = true;
        process.destroy();
        if (!ends(process, CLEAN_STOP_BOUND)) {
            Shutdown.note("%s did not stop within %d s and is killed".formatted(name, CLEAN_STOP_BOUND.toSeconds()));
            kill();
        }
    }

    /** Ends it at once, for data that is removed next. */
    public void kill() {
        if (process != null) {
            stopping = true;
            process.destroyForcibly();
            ends(process, KILL_BOUND);
        }
    }

    /** A frozen server keeps its connections but answers none of them. */
    public void freeze(boolean frozen) throws IOException {
        String signal = frozen ? "-STOP" : "-CONT";
        Process sent = new ProcessBuilder("kill", signal, Long.toString(process.pid())).start();
        if (sent.onExit().join().exitValue() != 0) {
            throw new IOException("cannot send " + signal + " to " + name);
        }
    }

    private static boolean ends(Process process, Duration bound) {
        try {
            return process.waitFor(bound);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** The last lines of its log. */
    public List<String> logTail() {
        List<String> lines = logText().lines().toList();
        return lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size());
    }

    private String logText() {
        try {
            return new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return name + "'s log cannot be read: " + e.getMessage();
        }
    }

    /** Describes why it ended or never answered, from its log. */
    public Fault died(Fault.Code code) {
        String text = logText();
        if (Disk.reportsFull(text)) {
            return Disk.full(name, "the disk under " + directory + " is full").withLog(logTail());
        }
        String cause = process.isAlive() ? "it does not answer" : "it ended with status " + process.exitValue();
        return new Fault(code, name, cause, "read its log lines").withLog(logTail());
    }
}
