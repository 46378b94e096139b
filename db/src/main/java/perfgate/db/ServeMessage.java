package perfgate.db;

import java.util.List;
import java.util.Map;

/** What `serve` and `snapshot` print on stdout, one JSON object a line: a contract with the gate's engine. */
sealed interface ServeMessage {

    /**
     * The servers answer and hold the seeded data.
     *
     * @param env what the service needs to find them
     * @param metricsUrl the exporter's page
     * @param dataKey the snapshot's key: equal keys mean equal data
     * @param timingsMs milliseconds of seed (0 when the snapshot was there), stop, restore and start
     */
    record Ready(
            boolean ready,
            Map<String, String> env,
            String metricsUrl,
            Map<String, String> versions,
            String dataKey,
            Map<String, Long> timingsMs)
            implements ServeMessage {}

    /**
     * The data lies where servers of other containers find it.
     *
     * @param archiveBytes size of the archive it came from
     * @param rebuilt why the archive was made anew, or "" if it was there and sound
     * @param timingsMs milliseconds of check, seed and pack (0 when the archive was there), restore and total
     */
    record Restored(
            boolean ready,
            String dataKey,
            Map<String, String> versions,
            long archiveBytes,
            String rebuilt,
            Map<String, Long> timingsMs)
            implements ServeMessage {}

    /** The servers never came up or did not stay up; the process ends after this line. */
    record NotReady(boolean ready, Problem error) implements ServeMessage {}

    /** A fault: its code, what happened, what to do, and the last lines of the server's log if there is one. */
    record Problem(String code, String message, String nextStep, List<String> logTail) {}
}
