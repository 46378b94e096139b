package perfgate.db;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Something that ends a command, told so that its reader knows what to do next. */
final class Fault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The codes are stable: scripts and the gate's engine may compare them. */
    enum Code {
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

        /** As everywhere in perf-gate: 2 usage or configuration, 3 could not measure. */
        final int exitCode;

        Code(int exitCode) {
            this.exitCode = exitCode;
        }
    }

    private final Code code;
    private final String place;
    private final String next;
    private final transient List<String> logTail;

    Fault(Code code, String place, String cause, String next) {
        this(code, place, cause, next, List.of(), null);
    }

    Fault(Code code, String place, String cause, String next, List<String> logTail) {
        this(code, place, cause, next, logTail, null);
    }

    Fault(Code code, String place, String cause, String next, List<String> logTail, @Nullable Throwable origin) {
        super(cause, origin);
        this.code = code;
        this.place = place;
        this.next = next;
        this.logTail = List.copyOf(logTail);
    }

    Code code() {
        return code;
    }

    /** The form printed on stderr; the last lines of the server's log follow it when there are any. */
    String text() {
        var text = new StringBuilder("error[%s] %s: %s%n  next: %s".formatted(code, place, getMessage(), next));
        for (String line : logTail) {
            text.append("%n  log: ".formatted()).append(line);
        }
        return text.toString();
    }

    /** The form that `serve` and `snapshot` print on stdout in place of a ready line. */
    ServeMessage.NotReady notReady() {
        return new ServeMessage.NotReady(
                false, new ServeMessage.Problem(code.name(), place + ": " + getMessage(), next, logTail));
    }
}
