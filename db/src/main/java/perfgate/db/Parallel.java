package perfgate.db;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Runs jobs at the same time. */
public final class Parallel {

    /** One of the jobs. */
    public interface Job {
        void run() throws IOException, InterruptedException;
    }

    private Parallel() {}

    /**
     * Returns once all jobs have ended. At the first failure, or at the bound, `release` must unblock the others: a job
     * that waits for a server ignores interrupts.
     */
    public static void run(Duration bound, Runnable release, List<Job> jobs) throws IOException, InterruptedException {
        try (var pool = Executors.newCachedThreadPool()) {
            var ended = new ExecutorCompletionService<Void>(pool);
            for (Job job : jobs) {
                ended.submit(() -> {
                    job.run();
                    return null;
                });
            }
            try {
                for (int i = 0; i < jobs.size(); i++) {
                    Future<Void> job = ended.poll(bound.toMillis(), TimeUnit.MILLISECONDS);
                    if (job == null) {
                        throw new ExecutionException(new IOException("the work did not end within " + bound));
                    }
                    job.get();
                }
            } catch (ExecutionException e) {
                release.run();
                pool.shutdownNow();
                switch (e.getCause()) {
                    case IOException cause -> throw cause;
                    case RuntimeException cause -> throw cause;
                    default -> throw new IOException(e.getCause());
                }
            }
        }
    }
}
