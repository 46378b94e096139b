package perfgate.db;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Servers that start, stop and die together. */
record ServerGroup(List<Server> servers) {

    /** Starts all at the same time and returns once all answer; if one fails, the others are killed. */
    void start() throws IOException, InterruptedException {
        try (var pool = Executors.newFixedThreadPool(servers.size())) {
            List<Future<Object>> starts = servers.stream()
                    .map(server -> pool.submit(() -> {
                        server.start();
                        return (Object) server;
                    }))
                    .toList();
            try {
                for (Future<Object> start : starts) {
                    start.get();
                }
            } catch (ExecutionException e) {
                pool.shutdownNow();
                kill();
                switch (e.getCause()) {
                    case Fault fault -> throw fault;
                    case IOException io -> throw io;
                    default -> throw new IllegalStateException(e.getCause());
                }
            }
        }
    }

    /** Stops all at the same time. */
    void stop() {
        try (var pool = Executors.newFixedThreadPool(servers.size())) {
            servers.forEach(server -> pool.execute(server::stop));
        }
    }

    /** For data that is thrown away next. */
    void kill() {
        servers.forEach(Server::kill);
    }

    /** Versions by role, as the running servers tell them. */
    Map<String, String> versions() throws IOException {
        var versions = new LinkedHashMap<String, String>();
        for (Server server : servers) {
            versions.put(server.role(), server.version());
        }
        return versions;
    }
}
