package perfgate.db;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.NullUnmarked;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@NullUnmarked
@Command(
        name = "exporter",
        description = {
            "Shows the counters of servers that run elsewhere, under the names that serve gives them.",
            "DB_USER and DB_PASSWORD in the environment are the database account."
        })
final class ExporterCommand implements Runnable {
    @Option(
            names = "--listen",
            required = true,
            paramLabel = "HOST:PORT",
            converter = HostAndPort.Converter.class,
            description = "Where the page is.")
    private HostAndPort listen;

    @Option(
            names = "--db",
            required = true,
            paramLabel = "HOST:PORT",
            converter = HostAndPort.Converter.class,
            description = "MariaDB.")
    private HostAndPort database;

    @Option(
            names = "--redis",
            required = true,
            paramLabel = "HOST:PORT",
            converter = HostAndPort.Converter.class,
            description = "Redis.")
    private HostAndPort redis;

    private final Shutdown shutdown;

    ExporterCommand(Shutdown shutdown) {
        this.shutdown = shutdown;
    }

    @Override
    public void run() {
        Map<String, String> env = System.getenv();
        var servers = new RemoteServers(
                database, redis, env.getOrDefault("DB_USER", "perfgate"), env.getOrDefault("DB_PASSWORD", ""));
        try {
            Exporter exporter = Exporter.start(new InetSocketAddress(listen.host(), listen.port()), servers);
            try (var _ = shutdown.register(exporter::close)) {
                new CountDownLatch(1).await();
            }
        } catch (BindException e) {
            throw new Fault(
                    Fault.Code.PORT_TAKEN,
                    listen.host() + ":" + listen.port(),
                    String.valueOf(e.getMessage()),
                    "name another address with --listen");
        } catch (IOException | InterruptedException e) {
            throw Main.fault(e);
        }
    }
}
