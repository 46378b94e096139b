package perfgate.db;

import java.io.IOException;
import java.io.InputStream;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import tools.jackson.core.type.TypeReference;

/**
 * What the servers hold, against what the seed is known to make.
 *
 * @param found by table, and the key space under {@link #REDIS}
 */
record Verification(Map<String, TableCheck> found, Map<String, TableCheck> expected) {
    static final String REDIS = "redis";

    static Verification of(MariaDbServer database, RedisServer redis) throws IOException {
        // Redis computes its digest while MariaDB sums: each keeps one core busy.
        CompletableFuture<TableCheck> keys = CompletableFuture.supplyAsync(() -> checkRedis(redis));
        Map<String, TableCheck> found = checkTables(database);
        try {
            found.put(REDIS, keys.join());
        } catch (CompletionException e) {
            throw new IOException("Redis cannot be verified: " + e.getCause().getMessage(), e);
        }
        return new Verification(found, known());
    }

    private static Map<String, TableCheck> checkTables(MariaDbServer database) throws IOException {
        var found = new LinkedHashMap<String, TableCheck>();
        try (var connection = database.connect(MariaDbServer.DATABASE);
                var statement = connection.createStatement();
                var rows = statement.executeQuery(Resources.text(SnapshotKey.SEED + "/verify.sql"))) {
            while (rows.next()) {
                found.put(rows.getString(1), new TableCheck(rows.getLong(2), rows.getString(3)));
            }
        } catch (SQLException e) {
            throw new IOException("MariaDB cannot be verified: " + e.getMessage(), e);
        }
        return found;
    }

    private static TableCheck checkRedis(RedisServer redis) {
        try (RespConnection connection = redis.connect()) {
            return new TableCheck(Long.parseLong(connection.call("DBSIZE")), connection.call("DEBUG", "DIGEST"));
        } catch (IOException e) {
            throw new CompletionException(e);
        }
    }

    private static Map<String, TableCheck> known() throws IOException {
        try (InputStream in = Resources.open(SnapshotKey.SEED + "/expected.json")) {
            return Json.read(in, new TypeReference<LinkedHashMap<String, TableCheck>>() {});
        }
    }

    boolean passed() {
        return found.equals(expected);
    }

    List<String> differences() {
        var lines = new ArrayList<String>();
        expected.forEach((name, check) -> {
            TableCheck actual = found.get(name);
            if (!check.equals(actual)) {
                lines.add("%s: expected %s, found %s".formatted(name, check, actual));
            }
        });
        found.forEach((name, check) -> {
            if (!expected.containsKey(name)) {
                lines.add("%s: not expected, found %s".formatted(name, check));
            }
        });
        return lines;
    }

    /** For people: a line a table. */
    String table() {
        var table = new StringBuilder("%-18s %10s  %-40s %s%n".formatted("table", "rows", "checksum", "as expected"));
        found.forEach((name, check) -> table.append("%-18s %10d  %-40s %s%n"
                .formatted(name, check.rows(), check.checksum(), check.equals(expected.get(name)) ? "yes" : "NO")));
        return table.toString();
    }
}
