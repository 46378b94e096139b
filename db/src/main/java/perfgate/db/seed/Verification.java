package perfgate.db.seed;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import perfgate.db.Parallel;
import perfgate.db.Resources;
import perfgate.db.server.MariaDbServer;
import perfgate.db.server.RedisServer;
import redis.clients.jedis.Jedis;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** Compares what the servers hold with what the seed is known to make, by table and with {@link #REDIS} for the keys. */
public record Verification(Map<String, Table> found, Map<String, Table> expected) {
    private static final String REDIS = "redis";
    private static final Table ABSENT = new Table(0, "absent");
    private static final Duration BOUND = Duration.ofMinutes(5);

    /**
     * What one table, or all of Redis, holds.
     *
     * @param rows rows or keys
     * @param checksum independent of the order of the rows; text, because a double may not hold it exactly
     */
    public record Table(long rows, String checksum) {}

    public static Verification of(MariaDbServer database, RedisServer redis) throws IOException, InterruptedException {
        Map<String, Table> found = Collections.synchronizedMap(new LinkedHashMap<>());
        var seed = Resources.folder(Resources.SEED);
        // Redis computes its digest while MariaDB sums, because each keeps one core busy.
        Parallel.run(BOUND, () -> {}, List.of(() -> readTables(database, text(seed.get("verify.sql")), found), () -> {
            try (Jedis client = redis.connect()) {
                byte[] digest =
                        (byte[]) client.sendCommand(() -> "DEBUG".getBytes(StandardCharsets.US_ASCII), "DIGEST");
                found.put(REDIS, new Table(client.dbSize(), text(digest)));
            }
        }));
        Map<String, Table> expected = JsonMapper.shared()
                .readValue(seed.get("expected.json"), new TypeReference<LinkedHashMap<String, Table>>() {});
        return new Verification(found, expected);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static void readTables(MariaDbServer database, String query, Map<String, Table> found) throws IOException {
        try (var connection = database.connect(MariaDbServer.DATABASE);
                var statement = connection.createStatement();
                var rows = statement.executeQuery(query)) {
            while (rows.next()) {
                found.put(rows.getString(1), new Table(rows.getLong(2), rows.getString(3)));
            }
        } catch (SQLException e) {
            throw new IOException("MariaDB cannot be verified: " + e.getMessage(), e);
        }
    }

    public boolean passed() {
        return found.equals(expected);
    }

    /** For people, with one line per table. */
    public List<String> lines() {
        var names = new LinkedHashSet<>(expected.keySet());
        names.addAll(found.keySet());
        return names.stream().map(this::line).toList();
    }

    private String line(String name) {
        Table actual = found.getOrDefault(name, ABSENT);
        Table wanted = expected.getOrDefault(name, ABSENT);
        String result = actual.equals(wanted) ? "as expected" : "NO, expected " + wanted.rows + " " + wanted.checksum;
        return "%-18s %10d  %-40s %s".formatted(name, actual.rows, actual.checksum, result);
    }
}
