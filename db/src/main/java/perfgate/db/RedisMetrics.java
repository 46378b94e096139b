package perfgate.db;

import static perfgate.db.MetricsPage.Type.COUNTER;
import static perfgate.db.MetricsPage.Type.GAUGE;

import java.util.Map;
import java.util.regex.Pattern;

/** Redis's INFO under the names that redis_exporter gives it. */
record RedisMetrics(String info) {
    private static final Map<String, String> COUNTERS = Map.of(
            "total_commands_processed", "redis_commands_processed_total",
            "total_connections_received", "redis_connections_received_total",
            "keyspace_hits", "redis_keyspace_hits_total",
            "keyspace_misses", "redis_keyspace_misses_total",
            "expired_keys", "redis_expired_keys_total",
            "evicted_keys", "redis_evicted_keys_total",
            "total_net_input_bytes", "redis_net_input_bytes_total",
            "total_net_output_bytes", "redis_net_output_bytes_total");
    private static final Map<String, String> GAUGES = Map.of(
            "connected_clients", "redis_connected_clients",
            "blocked_clients", "redis_blocked_clients",
            "used_memory", "redis_memory_used_bytes");

    private static final Pattern DATABASE = Pattern.compile("db\\d+");
    private static final String COMMAND = "cmdstat_";
    private static final double MICROS = 1e6;

    void addTo(MetricsPage page) {
        page.add(GAUGE, "redis_up", "1");
        info.lines().filter(line -> line.indexOf(':') > 0).forEach(line -> {
            int colon = line.indexOf(':');
            add(page, line.substring(0, colon), line.substring(colon + 1));
        });
    }

    private static void add(MetricsPage page, String field, String value) {
        if (COUNTERS.containsKey(field)) {
            page.add(COUNTER, COUNTERS.get(field), value);
        } else if (GAUGES.containsKey(field)) {
            page.add(GAUGE, GAUGES.get(field), value);
        } else if (field.startsWith(COMMAND)) {
            String command = field.substring(COMMAND.length());
            page.add(COUNTER, "redis_commands_total", "cmd", command, part(value, "calls"));
            double seconds = Double.parseDouble(part(value, "usec")) / MICROS;
            page.add(COUNTER, "redis_commands_duration_seconds_total", "cmd", command, Double.toString(seconds));
        } else if (DATABASE.matcher(field).matches()) {
            page.add(GAUGE, "redis_db_keys", "db", field, part(value, "keys"));
        }
    }

    /** One of the parts of a value such as calls=1,usec=3. */
    private static String part(String value, String name) {
        for (String part : value.split(",")) {
            if (part.startsWith(name + "=")) {
                return part.substring(name.length() + 1);
            }
        }
        return "0";
    }
}
