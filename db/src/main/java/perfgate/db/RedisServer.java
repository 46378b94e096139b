package perfgate.db;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** redis-server on one directory; it loads the dump.rdb there and never writes one by itself. */
final class RedisServer implements Server {
    static final String NAME = "redis-server";

    private static final Duration START_BOUND = Duration.ofSeconds(60);
    private static final int POLL_MILLIS = 15;

    private final Engines engines;
    private final Path data;
    private final Path log;
    private final int port;
    private volatile @Nullable ServerProcess process;

    private RedisServer(Engines engines, Path data, Path log, int port) {
        this.engines = engines;
        this.data = data;
        this.log = log;
        this.port = port;
    }

    static RedisServer toSeed(Engines engines, Path data, Path log) {
        return new RedisServer(engines, data, log, LoopbackPorts.anyFree());
    }

    static RedisServer toServe(Engines engines, Path data, Path log, int port) {
        return new RedisServer(engines, data, log, port);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String role() {
        return "redis";
    }

    @Override
    public void start() throws IOException, InterruptedException {
        var arguments = new ArrayList<>(List.of("--dir", data.toString(), "--save", "", "--appendonly", "no"));
        arguments.addAll(List.of("--bind", LoopbackPorts.HOST));
        arguments.addAll(List.of("--port", Integer.toString(port)));
        ServerProcess started = ServerProcess.start(NAME, engines.redisServer(), arguments, data, log);
        process = started;
        long deadline = System.nanoTime() + START_BOUND.toNanos();
        while (!answers(started.pid())) {
            if (!started.alive() || System.nanoTime() > deadline) {
                started.kill();
                throw started.died(Fault.Code.SERVER_START_FAILED);
            }
            Thread.sleep(POLL_MILLIS);
        }
    }

    /** It answers once the dump is loaded; and it has to be this one, not somebody else's Redis on the port. */
    private boolean answers(long pid) {
        try {
            return info("server", "process_id").equals(Long.toString(pid))
                    && info("persistence", "loading").equals("0");
        } catch (IOException e) {
            return false;
        }
    }

    RespConnection connect() throws IOException {
        return new RespConnection(new InetSocketAddress(LoopbackPorts.HOST, port));
    }

    @Override
    public ServerProcess process() {
        ServerProcess started = process;
        if (started == null) {
            throw new IllegalStateException(NAME + " was not started");
        }
        return started;
    }

    @Override
    public String version() throws IOException {
        return info("server", "redis_version");
    }

    private String info(String section, String field) throws IOException {
        try (RespConnection connection = connect()) {
            return connection
                    .call("INFO", section)
                    .lines()
                    .filter(line -> line.startsWith(field + ":"))
                    .map(line -> line.substring(field.length() + 1))
                    .findFirst()
                    .orElseThrow(() -> new IOException("Redis does not tell its " + field));
        }
    }

    @Override
    public void stop() {
        ServerProcess started = process;
        if (started != null) {
            started.stop();
        }
    }

    @Override
    public void kill() {
        ServerProcess started = process;
        if (started != null) {
            started.kill();
        }
    }
}
