package perfgate.app;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Makes many calls at once. */
public final class Concurrently {

    private Concurrently() {}

    public static <T> List<T> call(int times, Callable<T> call) throws Exception {
        return call(Collections.nCopies(times, call));
    }

    /** Makes all of these calls at once. */
    public static <T> List<T> call(List<Callable<T>> calls) throws Exception {
        CyclicBarrier start = new CyclicBarrier(calls.size());
        try (ExecutorService threads = Executors.newFixedThreadPool(calls.size())) {
            List<Future<T>> futures = calls.stream()
                    .map(call -> threads.submit(() -> {
                        start.await(1, TimeUnit.MINUTES);
                        return call.call();
                    }))
                    .toList();
            List<T> results = new ArrayList<>();
            for (Future<T> future : futures) {
                results.add(future.get());
            }
            return results;
        }
    }
}
