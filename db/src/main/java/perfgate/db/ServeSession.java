package perfgate.db;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A snapshot's copy and the servers on it, as often as it is wanted fresh, on the same ports every time. */
final class ServeSession {
    private final WorkDirectory work;
    private final Snapshot snapshot;
    private final int databasePort;
    private final int redisPort;
    private final ServerGroup servers;
    private final Exporter exporter;
    private volatile boolean failed;

    ServeSession(WorkDirectory work, Snapshot snapshot, Engines engines, int databasePort, int redisPort)
            throws IOException {
        this.work = work;
        this.snapshot = snapshot;
        this.databasePort = databasePort;
        this.redisPort = redisPort;
        Path data = work.data();
        var database = MariaDbServer.toServe(
                engines, data.resolve(Snapshot.MARIADB), work.log(MariaDbServer.NAME), databasePort);
        var redis = RedisServer.toServe(engines, data.resolve(Snapshot.REDIS), work.log(RedisServer.NAME), redisPort);
        this.servers = new ServerGroup(List.of(database, redis));
        this.exporter = Exporter.start(
                new InetSocketAddress(LoopbackPorts.HOST, LoopbackPorts.anyFree()), new ChildServers(database, redis));
    }

    /**
     * @param whenDead told of a server that ends without having been asked to
     */
    void start(Timings timings, Consumer<ServerProcess> whenDead) throws IOException, InterruptedException {
        timings.run("restore", () -> snapshot.restoreTo(work.data()));
        timings.run("start", () -> {
            servers.start();
            work.leftovers().record(servers);
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
        return new ServeMessage.Ready(
                true,
                env,
                exporter.url(),
                servers.versions(),
                snapshot.manifest().key(),
                timingsMs);
    }
}
