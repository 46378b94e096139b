package perfgate.app;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import kafka.Kafka;
import kafka.tools.StorageTool;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.springframework.util.FileSystemUtils;

/** One Kafka node, broker and controller, in its own process, so that tests can stop, kill and restart it. */
final class KafkaServer {

    private static final int START_SECONDS = 60;
    private static final int STOP_SECONDS = 20;

    private final Path directory;
    private final int port;
    private @Nullable Process process;

    KafkaServer(int port, int controllerPort) throws IOException {
        this.port = port;
        Files.createDirectories(Path.of("target/services"));
        directory = Files.createTempDirectory(Path.of("target/services").toAbsolutePath(), "kafka");
        Files.writeString(directory.resolve("server.properties"), """
                node.id=1
                process.roles=broker,controller
                listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
                advertised.listeners=PLAINTEXT://127.0.0.1:%1$d
                controller.listener.names=CONTROLLER
                controller.quorum.voters=1@127.0.0.1:%2$d
                listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
                offsets.topic.num.partitions=1
                offsets.topic.replication.factor=1
                group.initial.rebalance.delay.ms=0
                log.dirs=%3$s/log
                """.formatted(port, controllerPort, directory));
        Runtime.getRuntime().addShutdownHook(new Thread(this::kill));
    }

    String address() {
        return "127.0.0.1:" + port;
    }

    long pid() {
        return Objects.requireNonNull(process).pid();
    }

    void start() throws IOException {
        Process started = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Dlogging.level.root=WARN",
                        "-cp",
                        System.getProperty("java.class.path"),
                        KafkaServer.class.getName(),
                        directory.resolve("server.properties").toString())
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.to(log()))
                .start();
        process = started;
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (!answers(address())) {
            if (!started.isAlive() || System.nanoTime() > deadline) {
                started.destroyForcibly();
                throw new IOException("Kafka did not start, see " + log());
            }
        }
    }

    private File log() {
        return directory.resolve("kafka.log").toFile();
    }

    static boolean answers(String address) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", address))) {
            return !admin.describeCluster().nodes().get(1, TimeUnit.SECONDS).isEmpty();
        } catch (KafkaException | ExecutionException | TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    void stop() {
        end(false);
    }

    void kill() {
        end(true);
        FileSystemUtils.deleteRecursively(directory.toFile());
    }

    private void end(boolean forcibly) {
        Process running = process;
        if (running == null) {
            return;
        }
        try {
            if (forcibly) {
                running.destroyForcibly();
            } else {
                running.destroy();
            }
            if (!running.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("Kafka did not stop, see " + log());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Entry point of the child process: formats the directory if necessary, then runs Kafka. */
    public static void main(String[] arguments) {
        StorageTool.execute(
                new String[] {
                    "format", "--ignore-formatted", "--cluster-id", "5L6g3nShT-eMCtK--X86sw", "--config", arguments[0]
                },
                System.out);
        Kafka.main(arguments);
    }
}
