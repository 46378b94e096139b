package perfgate.db;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Clean-up actions that run before this process ends, newest first, whether it returns, fails or receives SIGTERM or
 * SIGINT. After a signal the JVM exits with 143 or 130.
 */
public final class Shutdown {

    /** Runs its action once, at the latest when the process ends. */
    public interface CleanUp extends AutoCloseable {
        @Override
        void close();
    }

    private final Deque<Runnable> actions = new ArrayDeque<>();
    private boolean begun;

    public static Shutdown installed() {
        var shutdown = new Shutdown();
        Runtime.getRuntime().addShutdownHook(new Thread(shutdown::runAll, "shutdown"));
        return shutdown;
    }

    /** Prints a line for people on stderr, because stdout carries only what programs read. */
    public static void note(String line) {
        System.err.println(line);
    }

    /** Register before the thing to clean up exists, so that no signal can arrive in between. */
    public CleanUp register(Runnable action) {
        synchronized (actions) {
            if (begun) {
                throw new Fault(Fault.Code.INTERRUPTED, "perf-gate-db", "it was stopped early", "run it again");
            }
            actions.push(action);
            return () -> runOnce(action);
        }
    }

    /** True once the process is ending: later failures are caused by that and need no report. */
    public boolean begun() {
        synchronized (actions) {
            return begun;
        }
    }

    private void runAll() {
        while (true) {
            Runnable newest;
            synchronized (actions) {
                begun = true;
                newest = actions.peek();
            }
            if (newest == null) {
                return;
            }
            runOnce(newest);
        }
    }

    /** Holds a lock on the action, so that the process cannot end while another thread is in the middle of it. */
    private void runOnce(Runnable action) {
        synchronized (action) {
            synchronized (actions) {
                if (!actions.contains(action)) {
                    return;
                }
            }
            try {
                action.run();
            } catch (RuntimeException e) {
                note("clean-up failed: " + e.getMessage());
            }
            synchronized (actions) {
                actions.remove(action);
            }
        }
    }
}
