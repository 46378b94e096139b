package perfgate.db;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;

/** Access to the servers that this launcher runs itself. */
record ChildServers(MariaDbServer database, RedisServer redis) implements ServerAccess {
    @Override
    public Connection openDatabase() throws SQLException {
        return database.connect("");
    }

    @Override
    public RespConnection openRedis() throws IOException {
        return redis.connect();
    }

    @Override
    public void addProcesses(MetricsPage page) throws IOException {
        new ProcessMetrics(database.name(), database.process().pid()).addTo(page);
        new ProcessMetrics(redis.name(), redis.process().pid()).addTo(page);
    }
}
