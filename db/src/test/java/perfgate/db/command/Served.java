package perfgate.db.command;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import tools.jackson.databind.JsonNode;

/** Uses the servers that a ready line names, as the service does. */
final class Served {
    private Served() {}

    static Connection connect(JsonNode ready) throws SQLException {
        return connect(ready, "DB_URL");
    }

    static Connection connectToReplica(JsonNode ready) throws SQLException {
        return connect(ready, "DB_REPLICA_URL");
    }

    private static Connection connect(JsonNode ready, String url) throws SQLException {
        return DriverManager.getConnection(
                ready.at("/env/" + url).asString(),
                ready.at("/env/DB_USER").asString(),
                ready.at("/env/DB_PASSWORD").asString());
    }

    static long number(JsonNode ready, String sql) throws SQLException {
        try (Connection connection = connect(ready)) {
            return number(connection, sql);
        }
    }

    static long number(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    static void update(JsonNode ready, String sql) throws SQLException {
        try (Connection connection = connect(ready)) {
            update(connection, sql);
        }
    }

    static void update(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    static Jedis redis(JsonNode ready) {
        var config = DefaultJedisClientConfig.builder()
                .password(ready.at("/env/REDIS_PASSWORD").asString())
                .timeoutMillis(60_000)
                .build();
        return new Jedis(
                new HostAndPort(
                        ready.at("/env/REDIS_HOST").asString(),
                        Integer.parseInt(ready.at("/env/REDIS_PORT").asString())),
                config);
    }
}
