package perfgate.db;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Kafka on one directory: one node, broker and controller. It holds nothing of the seeded data, so it starts while the
 * data is restored and the service boots, and stays through a restore. Nobody here waits until it answers: the service,
 * which needs it, does.
 */
final class KafkaServer {
    static final String NAME = "kafka";

    private static final String LIBRARIES = "kafka";

    // It shares the machine with what is measured: small, cheap to start, and quick to answer rather than to compile.
    private static final List<String> JVM_OPTIONS =
            List.of("-Xms64m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
    private static final String LOGGING = """
            rootLogger.level = warn
            rootLogger.appenderRef.console.ref = console
            appender.console.type = Console
            appender.console.name = console
            appender.console.layout.type = PatternLayout
            appender.console.layout.pattern = %d %p %c: %m%n
            """;

    private final Path directory;
    private final Path log;
    private final int port;
    private volatile @Nullable ServerProcess process;

    /**
     * @param directory its own, made here
     */
    KafkaServer(Path directory, Path log, int port) {
        this.directory = directory;
        this.log = log;
        this.port = port;
    }

    /** Starts it and does not wait until it answers. */
    void launch() throws IOException, InterruptedException {
        Files.createDirectories(directory);
        Path configuration = Files.writeString(directory.resolve("server.properties"), configuration());
        Path java = Path.of(System.getProperty("java.home"), "bin", "java").toRealPath();
        var arguments = new ArrayList<>(JVM_OPTIONS);
        Path logging = Files.writeString(directory.resolve("log4j2.properties"), LOGGING);
        arguments.add("-Dlog4j2.configurationFile=" + logging);
        arguments.addAll(List.of("-cp", classPath(), KafkaNode.class.getName(), configuration.toString()));
        process = ServerProcess.start(NAME, java, arguments, directory, log);
    }

    private String configuration() {
        return """
                node.id=1
                process.roles=broker,controller
                listeners=PLAINTEXT://%1$s:%2$d,CONTROLLER://%1$s:%3$d
                advertised.listeners=PLAINTEXT://%1$s:%2$d
                controller.listener.names=CONTROLLER
                controller.quorum.voters=1@%1$s:%3$d
                listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
                log.dirs=%4$s
                num.network.threads=2
                num.io.threads=2
                offsets.topic.num.partitions=1
                offsets.topic.replication.factor=1
                transaction.state.log.num.partitions=1
                transaction.state.log.replication.factor=1
                transaction.state.log.min.isr=1
                group.initial.rebalance.delay.ms=0
                # Nobody takes over.
                controlled.shutdown.enable=false
                """.formatted(LoopbackPorts.HOST, port, LoopbackPorts.anyFree(), directory.resolve("log"));
    }

    /** Its own libraries, and this program for the entry. */
    private static String classPath() {
        try {
            Path here = Path.of(KafkaServer.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            Path libraries = here.resolveSibling(LIBRARIES);
            if (!Files.isDirectory(libraries)) {
                throw new Fault(
                        Fault.Code.INSTALL_FAILED,
                        libraries.toString(),
                        "Kafka's libraries are not there",
                        "build db/ again: the directory " + LIBRARIES + " belongs beside the jar");
            }
            return libraries.resolve("*") + File.pathSeparator + here;
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    String address() {
        return LoopbackPorts.HOST + ":" + port;
    }

    /** The artifact's, which is Kafka's own. */
    static String version() {
        return EngineVersions.packagedKafka();
    }

    ServerProcess process() {
        ServerProcess started = process;
        if (started == null) {
            throw new IllegalStateException(NAME + " was not started");
        }
        return started;
    }

    /** Stops it, and removes what it held. */
    void end() {
        ServerProcess started = process;
        if (started != null) {
            started.stop();
        }
        DirectoryTree.remove(directory);
    }
}
