package perfgate.db.command;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The program's jar as a process of its own, as the gate starts it. */
final class Launcher implements AutoCloseable {
    private static final Path JAR = Path.of("target", "perf-gate-db.jar").toAbsolutePath();
    private static final Duration BOUND = Duration.ofMinutes(5);

    private final Process process;
    private final List<String> out = new ArrayList<>();
    private final List<String> err = new ArrayList<>();
    private final List<Thread> readers;

    private Launcher(Process process) {
        this.process = process;
        this.readers = List.of(read(process.inputReader(StandardCharsets.UTF_8), out), read(errors(process), err));
    }

    static Launcher start(Object... arguments) throws IOException {
        return start(Map.of(), arguments);
    }

    static Launcher start(Map<String, String> env, Object... arguments) throws IOException {
        var command = new ArrayList<>(List.of(
                // A shell's background job ignores SIGINT and hands that on, whatever a terminal would do.
                "env",
                "--default-signal=INT",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                // Short-lived processes: compiling for speed would cost more than it gains.
                "-XX:TieredStopAtLevel=1",
                "-jar",
                JAR.toString()));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        var builder = new ProcessBuilder(command);
        builder.environment().putAll(env);
        return new Launcher(builder.start());
    }

    /** Runs to the end with nothing on stdin but its end. */
    static Launcher run(Object... arguments) throws IOException, InterruptedException {
        Launcher launcher = start(arguments);
        launcher.awaitExit();
        return launcher;
    }

    private static BufferedReader errors(Process process) {
        return new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8));
    }

    private static Thread read(BufferedReader reader, List<String> lines) {
        return Thread.ofPlatform().daemon().start(() -> {
            try (reader) {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    synchronized (lines) {
                        lines.add(line);
                        lines.notifyAll();
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    void say(String line) throws IOException {
        Writer in = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
        in.write(line + "\n");
        in.flush();
    }

    void closeInput() throws IOException {
        process.getOutputStream().close();
    }

    /** The n-th JSON line on stdout, counted from 0. */
    JsonNode json(int n) throws InterruptedException {
        return JsonMapper.shared()
                .readTree(await(out, lines -> lines.size() > n).get(n));
    }

    void awaitError(String part) throws InterruptedException {
        await(err, lines -> lines.stream().anyMatch(line -> line.contains(part)));
    }

    private List<String> await(List<String> lines, Predicate<List<String>> condition) throws InterruptedException {
        long deadline = System.nanoTime() + BOUND.toNanos();
        synchronized (lines) {
            while (!condition.test(lines)) {
                long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (left <= 0 || !process.isAlive() && readers.stream().noneMatch(Thread::isAlive)) {
                    throw new AssertionError("never printed; stderr: " + err + ", stdout: " + out);
                }
                lines.wait(Math.min(left, 100));
            }
            return List.copyOf(lines);
        }
    }

    int awaitExit() throws InterruptedException {
        if (!process.waitFor(BOUND.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("did not end; stderr: " + err);
        }
        for (Thread reader : readers) {
            reader.join(BOUND);
        }
        return process.exitValue();
    }

    String errors() {
        synchronized (err) {
            return String.join("\n", err);
        }
    }

    String output() {
        synchronized (out) {
            return String.join("\n", out);
        }
    }

    long pid() {
        return process.pid();
    }

    /** The servers it has running now. */
    List<ProcessHandle> servers() {
        return process.descendants().toList();
    }

    void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-s", name, Long.toString(process.pid()))
                .start()
                .waitFor();
    }

    @Override
    public void close() throws IOException {
        closeInput();
        process.onExit().orTimeout(BOUND.toSeconds(), TimeUnit.SECONDS).join();
    }
}
