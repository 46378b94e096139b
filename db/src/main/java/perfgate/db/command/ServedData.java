package perfgate.db.command;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.commons.io.file.PathUtils;
import perfgate.db.Directories;
import perfgate.db.Disk;
import perfgate.db.Fault;
import perfgate.db.Shutdown;
import perfgate.db.Timings;
import perfgate.db.server.KafkaServer;
import perfgate.db.server.MariaDbServer;
import perfgate.db.server.MetricsServer;
import perfgate.db.server.Ports;
import perfgate.db.server.RedisServer;
import perfgate.db.server.Server;
import perfgate.db.server.SlowLog;
import perfgate.db.snapshot.Snapshot;
import perfgate.db.snapshot.SnapshotCache;

/** The directory named with --work, for one launcher at a time, and the servers on a copy of the snapshot in it. */
final class ServedData implements AutoCloseable {
    /**
     * The line that says that the servers answer and hold the seeded data.
     *
     * @param env variables with which the service finds the servers
     * @param metricsExcludeScrapes true, because the page leaves out what reading it costs the servers
     * @param dataKey the snapshot's key: equal keys mean equal data
     * @param timingsMs milliseconds of seed (0 if the snapshot was present), stop, restore and start
     */
    record Ready(
            boolean ready,
            Map<String, String> env,
            String metricsUrl,
            boolean metricsExcludeScrapes,
            Map<String, String> versions,
            String dataKey,
            Map<String, Long> timingsMs) {}

    /** The line that says that a command about one server is done. */
    record Changed(String done) {}

    private final Path work;
    private final Optional<SnapshotCache> cache;
    private final Shutdown shutdown;
    private final FileChannel lock;
    private final MariaDbServer database;
    private final List<MariaDbServer> replicas;
    private final RedisServer redis;
    private final List<KafkaServer> kafka;
    private final List<SlowLog> slowLog;
    private final MetricsServer metrics;
    private final Disk disk;
    private final Consumer<Fault> whenFailed;
    private Optional<Snapshot> snapshot = Optional.empty();

    /**
     * Takes the directory, and cleans up after a launcher that was killed.
     *
     * @param cache of the snapshot to serve; without one the servers are empty
     * @param withSlowLog whether the database writes slow statements to slow.log
     * @param databaseOptions of MariaDB, after its own
     * @param whenFailed called when a server ends without having been stopped, and when the disk is full
     */
    ServedData(
            Path work,
            Optional<SnapshotCache> cache,
            boolean withKafka,
            boolean withReplica,
            boolean withSlowLog,
            List<String> databaseOptions,
            Shutdown shutdown,
            Consumer<Fault> whenFailed)
            throws IOException {
        this.lock = Directories.lockFile(work, "lock", Fault.Code.WORK_NOT_WRITABLE);
        if (lock.tryLock() == null) {
            String next = "stop it, or name another directory with --work";
            throw new Fault(Fault.Code.WORK_IN_USE, work, "another serve uses this directory", next);
        }
        this.work = work;
        this.cache = cache;
        this.shutdown = shutdown;
        this.whenFailed = whenFailed;
        this.database = MariaDbServer.toServe(cache.isEmpty(), withReplica, databaseOptions, data(), work);
        this.replicas = withReplica ? List.of(database.replica(data().resolve("replica"), work)) : List.of();
        this.slowLog = withSlowLog ? List.of(new SlowLog(database, work)) : List.of();
        this.redis = new RedisServer(data(), work);
        this.kafka = withKafka ? List.of(new KafkaServer(work, work)) : List.of();
        this.metrics = new MetricsServer(database, redis);
        if (Files.exists(data())) {
            Shutdown.note("work " + data() + " was left by an earlier serve and is removed");
        }
        clear();
        this.disk = new Disk(work, () -> whenFailed.accept(full()));
    }

    private Path data() {
        return work.resolve("data");
    }

    private List<Server> onData() {
        return Stream.concat(Stream.of(database, redis), replicas.stream()).toList();
    }

    private List<Server> all() {
        return Stream.concat(onData().stream(), kafka.stream()).toList();
    }

    private void clear() {
        Directories.remove(data());
        Directories.remove(work.resolve("kafka"));
    }

    private Fault full() {
        return Disk.full(work, "the disk became full while serving");
    }

    private void watch(List<? extends Server> servers) {
        Consumer<Server> whenDead =
                server -> whenFailed.accept(disk.wasScarce() ? full() : server.died(Fault.Code.SERVER_DIED));
        servers.forEach(server -> server.whenDead(whenDead));
    }

    /** Starts Kafka first, because it takes longest and needs none of the data. */
    Ready start() throws IOException, InterruptedException {
        var timings = new Timings();
        timings.put("seed", 0);
        if (cache.isPresent()) {
            SnapshotCache.Found found = cache.get().ensure();
            snapshot = Optional.of(found.snapshot());
            timings.put("seed", found.seedMillis());
        }
        Server.startAll(kafka);
        watch(kafka);
        return startOnFreshData(timings);
    }

    private Ready startOnFreshData(Timings timings) throws IOException, InterruptedException {
        try (var _ = timings.start("restore")) {
            makeFreshData();
        }
        try (var _ = timings.start("start")) {
            Server.startAll(onData());
            if (snapshot.isEmpty()) {
                database.createDatabase("*.*");
            }
            for (MariaDbServer replica : replicas) {
                replica.follow(database);
            }
        }
        watch(onData());
        String key = snapshot.isPresent() ? Snapshot.KEY : "empty";
        return new Ready(true, env(), metrics.url(), true, Server.versions(all()), key, timings.millis());
    }

    private void makeFreshData() throws IOException, InterruptedException {
        if (snapshot.isPresent()) {
            snapshot.get().restoreTo(data());
        } else {
            for (Server server : List.of(database, redis)) {
                Directories.createPrivate(server.directory());
            }
            database.install(shutdown);
        }
        for (MariaDbServer replica : replicas) {
            Files.createDirectories(replica.directory().getParent());
            PathUtils.copyDirectory(database.directory(), replica.directory());
        }
    }

    private Map<String, String> env() {
        var env = new LinkedHashMap<String, String>();
        env.put("DB_URL", url(database));
        env.put("DB_USER", "perfgate");
        env.put("DB_PASSWORD", "perfgate");
        env.put("REDIS_HOST", Ports.HOST);
        env.put("REDIS_PORT", Integer.toString(redis.port()));
        env.put("REDIS_PASSWORD", redis.password());
        kafka.forEach(server -> env.put("KAFKA_BOOTSTRAP_SERVERS", server.address()));
        replicas.forEach(server -> env.put("DB_REPLICA_URL", url(server)));
        return env;
    }

    private static String url(MariaDbServer server) {
        return "jdbc:mariadb://%s:%d/%s".formatted(Ports.HOST, server.port(), MariaDbServer.DATABASE);
    }

    Ready restore() throws IOException, InterruptedException {
        var timings = new Timings();
        timings.put("seed", 0);
        try (var _ = timings.start("stop")) {
            Server.stopAll(onData());
            metrics.reset();
            Directories.remove(data());
        }
        return startOnFreshData(timings);
    }

    /** Carries out a command about one server, which keeps its port and its directory. */
    Changed change(String command) throws IOException, InterruptedException {
        String[] words = command.split(" ");
        Server server = all().stream()
                .filter(any -> any.role().equals(words[1]))
                .findAny()
                .orElseThrow(() -> new Fault(Fault.Code.USAGE, command, "it is not served", "add --" + words[1]));
        switch (words[0]) {
            case "kill" -> server.kill();
            case "start" -> {
                Server.startAll(List.of(server));
                metrics.reset();
                watch(List.of(server));
            }
            default -> server.freeze(words[0].equals("freeze"));
        }
        return new Changed(command);
    }

    /** Stops the servers, then removes their data, never the other way round. */
    void end(boolean keepLogs) {
        metrics.close();
        disk.close();
        slowLog.forEach(SlowLog::close);
        Server.stopAll(all());
        clear();
        if (!keepLogs) {
            all().forEach(server -> Directories.remove(server.log()));
        }
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
