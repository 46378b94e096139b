package perfgate.db;

import kafka.Kafka;
import kafka.tools.StorageTool;

/**
 * The entry of Kafka's process: makes its directory Kafka's own where it is not yet, and becomes Kafka. One process
 * for both, because a JVM's start takes about as long as Kafka's.
 */
final class KafkaNode {
    /** One cluster of one node, thrown away at the end, so any will do. */
    private static final String CLUSTER = "5L6g3nShT-eMCtK--X86sw";

    private KafkaNode() {}

    public static void main(String[] arguments) {
        StorageTool.execute(
                new String[] {"format", "--ignore-formatted", "--cluster-id", CLUSTER, "--config", arguments[0]},
                System.out);
        Kafka.main(arguments);
    }
}
