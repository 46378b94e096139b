package perfgate.db;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** Access to the servers that this launcher runs itself. */
record ChildServers(MariaDbServer database, RedisServer redis, Optional<KafkaServer> kafka) implements ServerAccess {
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
        if (kafka.isPresent()) {
            new ProcessMetrics(KafkaServer.NAME, kafka.get().process().pid()).addTo(page);
        }
    }
}
