package perfgate.app;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Makes the same call many times at once. */
public final class Concurrently {

    private Concurrently() {}

    public static <T> List<T> call(int times, Callable<T> call) throws Exception {
        CyclicBarrier start = new CyclicBarrier(times);
        try (ExecutorService threads = Executors.newFixedThreadPool(times)) {
            List<Future<T>> futures = IntStream.range(0, times)
                    .mapToObj(i -> threads.submit(() -> {
                        start.await(10, TimeUnit.SECONDS);
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
