package perfgate.app;

import java.util.Arrays;
import java.util.stream.Stream;

/** Starts the service with its own empty database, Redis and Kafka, which end with it. */
public class TestPerfGateApplication {

    public static void main(String[] args) {
        Stream<String> services = Services.running().environment().entrySet().stream()
                .map(variable -> "--" + variable.getKey() + "=" + variable.getValue());
        PerfGateApplication.main(Stream.concat(services, Arrays.stream(args)).toArray(String[]::new));
    }
}
