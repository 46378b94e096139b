package perfgate.db;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What must be undone before this process ends, newest first, however it ends: on return, on a fault, on SIGTERM
 * or SIGINT. The JVM then exits with 143 or 130 by itself.
 */
final class Shutdown {

    /** Something to undo once. Closing it early takes it off the list. */
    interface Undo extends AutoCloseable {
        @Override
        void close();
    }

    private final Deque<Entry> entries = new ArrayDeque<>();
    private boolean begun;

    static Shutdown installed() {
        var shutdown = new Shutdown();
        Runtime.getRuntime().addShutdownHook(new Thread(shutdown::run, "shutdown"));
        return shutdown;
    }

    /** Registers before the thing to undo exists, so that no signal can fall in between. */
    Undo register(Runnable action) {
        var entry = new Entry(action);
        synchronized (entries) {
            if (begun) {
                throw new Fault(
                        Fault.Code.INTERRUPTED, "perf-gate-db", "asked to stop while still at work", "run it again");
            }
            entries.push(entry);
        }
        return entry;
    }

    /** True once the process is ending: what fails from then on fails because of that, and is not worth telling. */
    boolean begun() {
        synchronized (entries) {
            return begun;
        }
    }

    private void run() {
        while (true) {
            Entry entry;
            synchronized (entries) {
                begun = true;
                entry = entries.peek();
            }
            if (entry == null) {
                return;
            }
            entry.close();
        }
    }

    private final class Entry implements Undo {
        private final Runnable action;
        private boolean done;

        Entry(Runnable action) {
            this.action = action;
        }

        /** Synchronized, so that the process cannot end while another thread is half-way through undoing this. */
        @Override
        public synchronized void close() {
            if (done) {
                return;
            }
            done = true;
            try {
                action.run();
            } catch (RuntimeException e) {
                Progress.say("clean-up: " + e.getMessage());
            } finally {
                synchronized (entries) {
                    entries.remove(this);
                }
            }
        }
    }
}
