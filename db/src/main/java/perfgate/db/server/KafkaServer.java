package perfgate.db.server;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import kafka.Kafka;
import kafka.tools.StorageTool;
import perfgate.db.Resources;

/**
 * Kafka on one directory, as one node that is broker and controller. It holds none of the seeded data, so it starts
 * while the data is restored and the service boots, and a restore leaves it alone.
 */
public final class KafkaServer extends Server {
    public static final String NAME = "kafka";

    // It shares the machine with what is measured, so it must start cheaply rather than compile for speed.
    private static final List<String> JVM_OPTIONS =
            List.of("-Xms64m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
    /**
     * The main class of Kafka's process, which formats the log directory and then becomes Kafka. One process does both,
     * because a JVM takes about as long to start as Kafka.
     */
    static final class Node {
        /** Any ID will do for a cluster of one node that is removed at the end. */
        private static final String CLUSTER = "5L6g3nShT-eMCtK--X86sw";

        private Node() {}

        public static void main(String[] arguments) {
            StorageTool.execute(
                    new String[] {"format", "--ignore-formatted", "--cluster-id", CLUSTER, "--config", arguments[0]},
                    System.out);
            Kafka.main(arguments);
        }
    }

    private final int port = Ports.anyFree();
    private final int controllerPort = Ports.anyFree();

    public KafkaServer(Path parent, Path logs) {
        super(NAME, NAME, parent.resolve("kafka"), logs);
    }

    @Override
    List<String> command() throws IOException {
        Path directory = Files.createDirectories(directory());
        Path configuration = Files.writeString(
                directory.resolve("server.properties"),
                Resources.settings("kafka.properties")
                        .formatted(Ports.HOST, port, controllerPort, directory.resolve("log")));
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JVM_OPTIONS);
        command.add("-Dlog4j2.configurationFile=classpath:db/settings/kafka-log4j2.properties");
        // Kafka's own libraries, and this program for the main class.
        command.addAll(List.of("-cp", Engines.installed(NAME).resolve("*") + File.pathSeparator + Engines.program()));
        command.addAll(List.of(Node.class.getName(), configuration.toString()));
        return command;
    }

    /** The service waits for it, not this launcher. */
    @Override
    boolean answers(long pid) {
        return true;
    }

    /** The version of its artifact. */
    @Override
    String version() {
        return Engines.KAFKA_VERSION;
    }

    public String address() {
        return Ports.HOST + ":" + port;
    }
}
