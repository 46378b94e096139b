package perfgate.db;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * A file that names the children of a running launcher. The kernel ends them with their launcher; where it did not,
 * the next launcher on the same work directory does.
 */
record Leftovers(Path file) {

    /**
     * A child as it was started.
     *
     * @param program its executable, and
     * @param directory its working directory: a process id alone may have passed to some other program since
     */
    record Child(String name, long pid, String program, String directory) {

        static Child of(ServerProcess process) {
            return new Child(
                    process.name(),
                    process.pid(),
                    process.program().toString(),
                    process.directory().toString());
        }

        private Optional<ProcessHandle> running() {
            return ProcessHandle.of(pid).filter(handle -> pointsTo("exe", program) && pointsTo("cwd", directory));
        }

        /** Linux appends " (deleted)" to the target of such a link when the file is gone. */
        private boolean pointsTo(String link, String target) {
            try {
                String actual = Files.readSymbolicLink(Path.of("/proc", Long.toString(pid), link))
                        .toString();
                return actual.equals(target) || actual.equals(target + " (deleted)");
            } catch (IOException e) {
                return false;
            }
        }
    }

    /** All children of one launcher. */
    private record Children(List<Child> children) {}

    private static final int END_SECONDS = 10;

    void record(List<ServerProcess> processes) throws IOException {
        var children = new Children(processes.stream().map(Child::of).toList());
        Files.writeString(file, Json.pretty(children));
    }

    /** Kills what still runs. Its data is thrown away, so nothing is gained by asking it to stop. */
    void end() {
        for (Child child : read()) {
            child.running().ifPresent(handle -> {
                Progress.say("%s (process %d) was left running by a serve that was killed, and is killed"
                        .formatted(child.name(), child.pid()));
                handle.destroyForcibly();
                try {
                    handle.onExit().orTimeout(END_SECONDS, TimeUnit.SECONDS).join();
                } catch (CompletionException e) {
                    throw new Fault(
                            Fault.Code.WORK_IN_USE,
                            file.toString(),
                            "process %d (%s) cannot be killed".formatted(child.pid(), child.name()),
                            "end it, or name another directory with --work");
                }
            });
        }
    }

    private List<Child> read() {
        if (!Files.exists(file)) {
            return List.of();
        }
        try {
            return Json.read(file, Children.class).children();
        } catch (IOException e) {
            Progress.say("left-over children are unknown: " + e.getMessage());
            return List.of();
        }
    }

    void forget() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
