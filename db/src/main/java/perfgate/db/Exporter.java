package perfgate.db;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The servers' own counters as a Prometheus page. A scrape costs one statement in MariaDB, which is taken out of the
 * figures, and one INFO in Redis, which shows as cmd="info"; both connections stay open in between.
 */
final class Exporter implements AutoCloseable {
    private static final String PATH = "/metrics";

    private final ServerAccess servers;
    private final HttpServer http;
    private MariaDbMetrics.OwnCost ownCost = MariaDbMetrics.OwnCost.NONE;
    private @Nullable Connection databaseConnection;
    private @Nullable RespConnection redisConnection;

    private Exporter(ServerAccess servers, HttpServer http) {
        this.servers = servers;
        this.http = http;
    }

    static Exporter start(InetSocketAddress address, ServerAccess servers) throws IOException {
        HttpServer http = HttpServer.create(address, 0);
        var exporter = new Exporter(servers, http);
        http.createContext(PATH, exporter::answer);
        http.start();
        return exporter;
    }

    String url() {
        return "http://%s:%d%s".formatted(LoopbackPorts.HOST, http.getAddress().getPort(), PATH);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (!exchange.getRequestURI().getPath().equals(PATH)) {
                send(exchange, 404, "see " + PATH + "\n");
                return;
            }
            try {
                send(exchange, 200, page());
            } catch (IOException | SQLException | IllegalStateException e) {
                disconnect();
                send(exchange, 503, "the servers do not answer: " + e.getMessage() + "\n");
            }
        }
    }

    private static void send(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", MetricsPage.CONTENT_TYPE);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }

    private synchronized String page() throws IOException, SQLException {
        var page = new MetricsPage();
        Map<String, String> status = status();
        new MariaDbMetrics(status, ownCost).addTo(page);
        ownCost = ownCost.answered(status.size());
        new RedisMetrics(info()).addTo(page);
        servers.addProcesses(page);
        return page.text();
    }

    private Map<String, String> status() throws SQLException {
        if (databaseConnection == null) {
            databaseConnection = servers.openDatabase();
        }
        ownCost = ownCost.nextStatement();
        var status = new LinkedHashMap<String, String>();
        try (var statement = databaseConnection.createStatement();
                var rows = statement.executeQuery("SHOW GLOBAL STATUS")) {
            while (rows.next()) {
                status.put(rows.getString(1), rows.getString(2));
            }
        }
        return status;
    }

    private String info() throws IOException {
        if (redisConnection == null) {
            redisConnection = servers.openRedis();
        }
        return redisConnection.call("INFO", "all");
    }

    /** The next scrape connects anew, and the counters of a server that was started anew begin at nothing. */
    synchronized void serversRestarted() {
        disconnect();
        ownCost = MariaDbMetrics.OwnCost.NONE;
    }

    private synchronized void disconnect() {
        closeQuietly(databaseConnection);
        closeQuietly(redisConnection);
        databaseConnection = null;
        redisConnection = null;
    }

    private static void closeQuietly(@Nullable AutoCloseable connection) {
        if (connection != null) {
            try {
                connection.close();
            } catch (Exception e) {
                // It is given up in any case: its server has stopped or is about to.
            }
        }
    }

    @Override
    public void close() {
        http.stop(0);
        disconnect();
    }
}
