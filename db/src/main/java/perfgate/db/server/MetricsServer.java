package perfgate.db.server;

import io.prometheus.metrics.exporter.httpserver.HTTPServer;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.registry.PrometheusScrapeRequest;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.PrometheusNaming;
import io.prometheus.metrics.model.snapshots.UnknownSnapshot;
import io.prometheus.metrics.model.snapshots.UnknownSnapshot.UnknownDataPointSnapshot;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import perfgate.db.Shutdown;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

/** The servers' own counters as a Prometheus page, with the names that mysqld_exporter and redis_exporter use. */
public final class MetricsServer implements MultiCollector, AutoCloseable {
    private static final Pattern REDIS_COUNTER = Pattern.compile("(?:total_)?(commands_processed|connections_received"
            + "|keyspace_(?:hits|misses)|(?:expired|evicted)_keys|net_(?:input|output)_bytes)");

    /** The samples of one scrape. */
    private static final class Page {
        private final Map<String, CounterSnapshot.Builder> counters = new TreeMap<>();
        private final Map<String, UnknownSnapshot.Builder> others = new TreeMap<>();

        /** The library appends _total to the names of counters, and rejects a few other suffixes, such as _created. */
        void add(String name, double value, String... labels) {
            if (name.endsWith("_total")) {
                String family = name.substring(0, name.length() - "_total".length());
                var sample = CounterDataPointSnapshot.builder().value(value).labels(Labels.of(labels));
                counters.computeIfAbsent(family, _ -> CounterSnapshot.builder().name(family))
                        .dataPoint(sample.build());
            } else if (PrometheusNaming.isValidMetricName(name)) {
                var sample = UnknownDataPointSnapshot.builder().value(value).labels(Labels.of(labels));
                others.computeIfAbsent(name, _ -> UnknownSnapshot.builder().name(name))
                        .dataPoint(sample.build());
            }
        }

        MetricSnapshots build() {
            var page = MetricSnapshots.builder();
            counters.values().forEach(family -> page.metricSnapshot(family.build()));
            others.values().forEach(family -> page.metricSnapshot(family.build()));
            return page.build();
        }
    }

    private final MariaDbServer database;
    private final RedisServer redis;
    private final HTTPServer http;
    private Connection connection;
    private Jedis redisConnection;

    // The cost of reading the status of the servers so far. It is subtracted, because under a light load it would
    // dominate the rows that the service reads.
    private long ownStatements;
    private long ownRows;
    private long ownRedisCommands;

    public MetricsServer(MariaDbServer database, RedisServer redis) throws IOException {
        this.database = database;
        this.redis = redis;
        var registry = new PrometheusRegistry();
        registry.register(this);
        var builder = HTTPServer.builder().hostname(Ports.HOST).port(Ports.anyFree());
        this.http = builder.registry(registry).buildAndStart();
    }

    public String url() {
        return "http://%s:%d/metrics".formatted(Ports.HOST, http.getPort());
    }

    /** After an exception the scrape gets status 500, and the next one connects again. */
    @Override
    public synchronized MetricSnapshots collect() {
        var page = new Page();
        try {
            readDatabase(page);
        } catch (SQLException e) {
            reset();
            throw new IllegalStateException("MariaDB does not answer: " + e.getMessage(), e);
        }
        try {
            readRedis(page);
        } catch (JedisException e) {
            reset();
            throw new IllegalStateException("Redis does not answer: " + e.getMessage(), e);
        }
        return page.build();
    }

    /** With {@code collect[]=info_schema.tables}, as mysqld_exporter takes it, the page has the rows of each table instead. */
    @Override
    public MetricSnapshots collect(PrometheusScrapeRequest request) {
        String[] collectors = request.getParameterValues("collect[]");
        if (collectors == null || !List.of(collectors).contains("info_schema.tables")) {
            return collect();
        }
        try (Connection own = database.connect("");
                var statement = own.createStatement();
                var rows = statement.executeQuery("SELECT table_schema, table_name, table_rows"
                        + " FROM information_schema.tables WHERE engine = 'InnoDB' AND table_schema <> 'mysql'")) {
            var page = new Page();
            while (rows.next()) {
                page.add(
                        "mysql_info_schema_table_rows",
                        rows.getDouble(3),
                        "schema",
                        rows.getString(1),
                        "table",
                        rows.getString(2));
            }
            return page.build();
        } catch (SQLException e) {
            throw new IllegalStateException("MariaDB does not answer: " + e.getMessage(), e);
        }
    }

    private void readDatabase(Page page) throws SQLException {
        if (connection == null) {
            connection = database.connect("");
        }
        ownStatements++;
        long count = 0;
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery("SHOW GLOBAL STATUS")) {
            for (; rows.next(); count++) {
                String variable = rows.getString(1).toLowerCase(Locale.ROOT);
                String value = rows.getString(2);
                if (value.matches("-?\\d+(\\.\\d+)?")) {
                    addDatabase(variable, Double.parseDouble(value) - ownCost(variable), page);
                }
            }
        }
        ownRows += count;
    }

    private static void addDatabase(String variable, double value, Page page) {
        String[] words = variable.split("_", 2);
        switch (words[0]) {
            case "com" -> page.add("mysql_global_status_commands_total", value, "command", words[1]);
            case "handler" -> page.add("mysql_global_status_handlers_total", value, "handler", words[1]);
            default -> page.add("mysql_global_status_" + variable, value);
        }
    }

    private long ownCost(String variable) {
        return switch (variable) {
            case "questions", "queries", "com_show_status" -> ownStatements;
            case "handler_tmp_write" -> ownRows;
            // MariaDB reads its temporary table until it finds the end, hence one more read per earlier statement.
            case "handler_read_rnd_next" -> ownRows + ownStatements - 1;
            default -> 0;
        };
    }

    /** One connection for all scrapes, because each new one costs commands of its own. */
    private void readRedis(Page page) {
        if (redisConnection == null) {
            redisConnection = redis.connect();
        }
        RedisServer.info(redisConnection).forEach((field, value) -> addRedis(field, value, page));
        ownRedisCommands++;
    }

    private void addRedis(String field, String value, Page page) {
        Matcher counter = REDIS_COUNTER.matcher(field);
        if (counter.matches()) {
            String name = counter.group(1);
            double own = name.equals("commands_processed") ? ownRedisCommands : 0;
            page.add("redis_" + name + "_total", Double.parseDouble(value) - own);
        } else if (field.equals("used_memory")) {
            page.add("redis_memory_used_bytes", Double.parseDouble(value));
        } else if (field.matches("db\\d+")) {
            String[] counts = value.split("[=,]");
            page.add("redis_db_keys", Double.parseDouble(counts[1]), "db", field);
            page.add("redis_db_keys_expiring", Double.parseDouble(counts[3]), "db", field);
        } else if (field.startsWith("cmdstat_")) {
            double calls = Double.parseDouble(value.split("[=,]")[1]);
            page.add("redis_commands_total", calls, "cmd", field.substring("cmdstat_".length()));
        }
    }

    /** Call after the servers restarted, because their counters begin at zero again. */
    public synchronized void reset() {
        ownStatements = 0;
        ownRows = 0;
        ownRedisCommands = 0;
        try (Connection _ = connection;
                Jedis _ = redisConnection) {
            connection = null;
            redisConnection = null;
        } catch (SQLException e) {
            Shutdown.note("the metrics connection did not close: " + e.getMessage());
        }
    }

    @Override
    public void close() {
        http.stop();
        reset();
    }
}
