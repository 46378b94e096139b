package perfgate.db;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/** A server's child process. */
final class ServerProcess {
    private static final int TAIL_LINES = 20;
    private static final Duration CLEAN_STOP = Duration.ofSeconds(20);
    private static final Duration FORCED_STOP = Duration.ofSeconds(10);

    // setsid: Ctrl-C in a terminal goes to the whole foreground group, and must reach this launcher alone, which
    // then stops the servers in order. setpriv: if this launcher is killed outright, the kernel kills the servers.
    private static final List<String> LAUNCH_PREFIX = List.of("setpriv", "--pdeathsig", "KILL", "setsid");

    // The kernel sends that signal when the *thread* that started the child ends, so this one never does.
    private static final ExecutorService SPAWNER = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("spawner").factory());

    private final String name;
    private final Path program;
    private final Path directory;
    private final Path log;
    private final Process process;
    private final AtomicBoolean stopAsked = new AtomicBoolean();

    private ServerProcess(String name, Path program, Path directory, Path log, Process process) {
        this.name = name;
        this.program = program;
        this.directory = directory;
        this.log = log;
        this.process = process;
    }

    /**
     * @param directory the data directory, which both servers make their working directory
     * @param log receives what the server prints; an old one is replaced
     */
    static ServerProcess start(String name, Path program, List<String> arguments, Path directory, Path log)
            throws IOException, InterruptedException {
        var command = new ArrayList<>(LAUNCH_PREFIX);
        command.add(program.toString());
        command.addAll(arguments);
        var builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        try {
            return new ServerProcess(
                    name,
                    program,
                    directory,
                    log,
                    SPAWNER.submit(builder::start).get());
        } catch (ExecutionException e) {
            throw new Fault(
                    Fault.Code.SERVER_START_FAILED,
                    name,
                    String.valueOf(e.getCause().getMessage()),
                    "install util-linux (setpriv and setsid)");
        }
    }

    long pid() {
        return process.pid();
    }

    String name() {
        return name;
    }

    Path program() {
        return program;
    }

    Path directory() {
        return directory;
    }

    boolean alive() {
        return process.isAlive();
    }

    boolean endedByItself() {
        return !process.isAlive() && !stopAsked.get();
    }

    /** Completes when the process has ended without having been asked to. */
    CompletableFuture<ServerProcess> death() {
        var death = new CompletableFuture<ServerProcess>();
        process.onExit().thenRun(() -> {
            if (!stopAsked.get()) {
                death.complete(this);
            }
        });
        return death;
    }

    /** SIGTERM, which both servers take as a clean stop, then SIGKILL once the bound is over. */
    void stop() {
        stopAsked.set(true);
        process.destroy();
        if (!ended(CLEAN_STOP)) {
            Progress.say("%s did not stop within %d s and is killed".formatted(name, CLEAN_STOP.toSeconds()));
            kill();
        }
    }

    void kill() {
        stopAsked.set(true);
        process.destroyForcibly();
        ended(FORCED_STOP);
    }

    private boolean ended(Duration bound) {
        try {
            process.onExit().get(bound.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    String logText() {
        try {
            return new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    List<String> logTail() {
        List<String> lines = logText().lines().toList();
        return lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size());
    }

    /** What to say when it ended by itself or never answered. */
    Fault died(Fault.Code code) {
        String text = logText();
        if (DiskWatch.tellsOfFullDisk(text)) {
            return new Fault(
                    Fault.Code.DISK_FULL,
                    name,
                    "the disk under " + directory + " is full",
                    "free space there, or name a directory on another disk",
                    logTail());
        }
        if (text.contains("Address already in use")) {
            return new Fault(
                    Fault.Code.PORT_TAKEN,
                    name,
                    "another program took its port",
                    "stop that program, or run again to get other ports",
                    logTail());
        }
        String cause = process.isAlive() ? "it does not answer" : "it ended with status " + process.exitValue();
        return new Fault(code, name, cause, "read its log lines", logTail());
    }
}
