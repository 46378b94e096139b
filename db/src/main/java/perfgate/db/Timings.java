package perfgate.db;

import java.io.IOException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Milliseconds a step, in the order the steps began. */
final class Timings {

    /** A step to be timed. */
    interface Step<T> {
        T run() throws IOException, InterruptedException;
    }

    /** A step without a result. */
    interface Action {
        void run() throws IOException, InterruptedException;
    }

    private final Map<String, Long> millis = Collections.synchronizedMap(new LinkedHashMap<>());

    <T> T time(String step, Step<T> body) throws IOException, InterruptedException {
        long began = System.nanoTime();
        millis.put(step, 0L);
        try {
            return body.run();
        } finally {
            millis.put(step, (System.nanoTime() - began) / 1_000_000);
        }
    }

    void run(String step, Action body) throws IOException, InterruptedException {
        time(step, () -> {
            body.run();
            return true;
        });
    }

    /** For a step that was not needed. */
    void none(String step) {
        millis.put(step, 0L);
    }

    Map<String, Long> millis() {
        return new LinkedHashMap<>(millis);
    }
}
