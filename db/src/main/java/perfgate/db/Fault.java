package perfgate.db;

import java.nio.file.FileSystemException;
import java.util.List;

/** An error that ends a command, with the code, place, cause and next step that its reader needs. */
public final class Fault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The codes are stable, because scripts and the gate's engine compare them. */
    public enum Code {
        USAGE(2),
        UNSUPPORTED_PLATFORM(2),
        PORT_TAKEN(2),
        CACHE_NOT_WRITABLE(2),
        WORK_NOT_WRITABLE(2),
        WORK_IN_USE(2),
        SNAPSHOT_MISSING(3),
        SNAPSHOT_UNUSABLE(3),
        VOLUME_IN_USE(3),
        DISK_FULL(3),
        INSTALL_FAILED(3),
        SERVER_START_FAILED(3),
        SERVER_DIED(3),
        SEED_FAILED(3),
        VERIFY_FAILED(3),
        INTERRUPTED(3),
        INTERNAL(3);

        /** As everywhere in perf-gate, 2 means wrong usage or configuration, and 3 means that measuring failed. */
        public final int exitCode;

        Code(int exitCode) {
            this.exitCode = exitCode;
        }
    }

    /** The JSON line that `serve` and `snapshot restore` print on stdout instead of a ready line. */
    public record NotReady(boolean ready, Problem error) {}

    /** The fault's fields in that line; the log tail is empty unless a server wrote a log. */
    public record Problem(String code, String message, String nextStep, List<String> logTail) {}

    private final Code code;
    private final String place;
    private final String next;
    private final transient List<String> logTail;

    public Fault(Code code, Object place, String cause, String next) {
        this(code, place.toString(), cause, next, List.of(), null);
    }

    private Fault(Code code, String place, String cause, String next, List<String> logTail, Throwable origin) {
        super(cause, origin);
        this.code = code;
        this.place = place;
        this.next = next;
        this.logTail = List.copyOf(logTail);
    }

    /** The same fault with the last lines of a server's log. */
    public Fault withLog(List<String> lines) {
        return new Fault(code, place, String.valueOf(getMessage()), next, lines, this);
    }

    /** Converts any exception; an unexpected one keeps its origin as the place. */
    public static Fault of(Exception exception) {
        if (exception instanceof Fault fault) {
            return fault;
        }
        String message = exception.getClass().getSimpleName() + ": " + exception.getMessage();
        if (Disk.reportsFull(message)) {
            return Disk.full(exception instanceof FileSystemException e ? e.getFile() : "disk", message);
        }
        StackTraceElement[] trace = exception.getStackTrace();
        String place = trace.length > 0 ? trace[0].toString() : "perf-gate-db";
        String next = "run the command again; if it fails again, report this text";
        return new Fault(Code.INTERNAL, place, message, next, List.of(), exception);
    }

    public Code code() {
        return code;
    }

    /** The text for stderr, followed by the last lines of the server's log if it wrote one. */
    public String text() {
        var text = new StringBuilder("error[%s] %s: %s%n  next: %s".formatted(code, place, getMessage(), next));
        logTail.forEach(line -> text.append("%n  log: ".formatted()).append(line));
        return text.toString();
    }

    public NotReady notReady() {
        return new NotReady(false, new Problem(code.name(), place + ": " + getMessage(), next, logTail));
    }
}
