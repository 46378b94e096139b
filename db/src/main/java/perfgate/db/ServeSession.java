package perfgate.db;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A snapshot's copy and the servers on it, as often as it is wanted fresh, on the same ports every time. */
final class ServeSession {
    private final WorkDirectory work;
    private final Snapshot snapshot;
    private final int databasePort;
    private final int redisPort;
    private final ServerGroup servers;
    private final Optional<KafkaServer> kafka;
    private final Exporter exporter;
    private volatile boolean failed;

    ServeSession(
            WorkDirectory work,
            Snapshot snapshot,
            Engines engines,
            int databasePort,
            int redisPort,
            Optional<KafkaServer> kafka)
            throws IOException {
        this.work = work;
        this.snapshot = snapshot;
        this.databasePort = databasePort;
        this.redisPort = redisPort;
        this.kafka = kafka;
        Path data = work.data();
        var database = MariaDbServer.toServe(
                engines, data.resolve(Snapshot.MARIADB), work.log(MariaDbServer.NAME), databasePort);
        var redis = RedisServer.toServe(engines, data.resolve(Snapshot.REDIS), work.log(RedisServer.NAME), redisPort);
        this.servers = new ServerGroup(List.of(database, redis));
        this.exporter = Exporter.start(
                new InetSocketAddress(LoopbackPorts.HOST, LoopbackPorts.anyFree()),
                new ChildServers(database, redis, kafka));
    }

    /** Before the data is restored, since it takes longest to start and needs none of it. */
    void launchKafka(Consumer<ServerProcess> whenDead) throws IOException, InterruptedException {
        if (kafka.isPresent()) {
            kafka.get().launch();
            kafka.get().process().death().thenAccept(whenDead);
            recordChildren(List.of());
        }
    }

    private void recordChildren(List<Server> started) throws IOException {
        Stream<ServerProcess> processes = started.stream().map(Server::process);
        work.leftovers()
                .record(Stream.concat(processes, kafka.map(KafkaServer::process).stream())
                        .toList());
    }

    /**
     * @param whenDead told of a server that ends without having been asked to
     */
    void start(Timings timings, Consumer<ServerProcess> whenDead) throws IOException, InterruptedException {
        timings.run("restore", () -> snapshot.restoreTo(work.data()));
        timings.run("start", () -> {
            servers.start();
            recordChildren(servers.servers());
        });
        servers.servers().forEach(server -> server.process().death().thenAccept(whenDead));
    }

    void restore(Timings timings, Consumer<ServerProcess> whenDead) throws IOException, InterruptedException {
        timings.run("stop", () -> {
            servers.stop();
            exporter.serversRestarted();
            work.clear();
        });
        start(timings, whenDead);
    }

    /** From now on the logs are worth keeping. */
    void failed() {
        failed = true;
    }

    /** The servers stop first, then the data goes: never the other way round. */
    void end() {
        exporter.close();
        servers.stop();
        kafka.ifPresent(KafkaServer::end);
        work.clear();
        if (!failed) {
            work.clearLogs();
        }
    }

    ServeMessage.Ready ready(Map<String, Long> timingsMs) throws IOException {
        var env = new LinkedHashMap<String, String>();
        env.put(
                "DB_URL",
                "jdbc:mariadb://%s:%d/%s".formatted(LoopbackPorts.HOST, databasePort, MariaDbServer.DATABASE));
        env.put("DB_USER", "perfgate");
        env.put("DB_PASSWORD", "perfgate");
        env.put("REDIS_HOST", LoopbackPorts.HOST);
        env.put("REDIS_PORT", Integer.toString(redisPort));
        kafka.ifPresent(server -> env.put("KAFKA_BOOTSTRAP_SERVERS", server.address()));
        var versions = new LinkedHashMap<>(servers.versions());
        kafka.ifPresent(_ -> versions.put(KafkaServer.NAME, KafkaServer.version()));
        return new ServeMessage.Ready(
                true, env, exporter.url(), versions, snapshot.manifest().key(), timingsMs);
    }
}
