package perfgate.db;

import java.io.IOException;

/** A server that this launcher runs as a child process. */
interface Server {
    /** The name people know it by, and the value of the `process` label among the metrics. */
    String name();

    /** What it is to the service, whatever the product: the key of its version in the ready line. */
    String role();

    /** Starts it and returns once it answers. */
    void start() throws IOException, InterruptedException;

    /** The running child; an error before start. */
    ServerProcess process();

    /** Name and version as the running server tells them. */
    String version() throws IOException;

    /** Stops it in its own clean way within a bound, then by force. Does nothing if it does not run. */
    void stop();

    /** Ends it at once. Does nothing if it does not run. */
    void kill();
}
