package perfgate.db;

import java.util.LinkedHashMap;
import java.util.Map;

/** Milliseconds per step, in the order the steps began. */
public final class Timings {
    private final Map<String, Long> millis = new LinkedHashMap<>();

    /** Closing it ends the step. */
    public interface Running extends AutoCloseable {
        @Override
        void close();
    }

    public Running start(String step) {
        long began = System.nanoTime();
        put(step, 0);
        return () -> put(step, (System.nanoTime() - began) / 1_000_000);
    }

    public void put(String step, long duration) {
        millis.put(step, duration);
    }

    public Map<String, Long> millis() {
        return millis;
    }
}
