package perfgate.app;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The server's own counters, read over a connection beside the service's pool. */
final class StatusCounters implements AutoCloseable {

    private final Connection connection;

    StatusCounters() throws SQLException {
        connection = DriverManager.getConnection(Services.running().databaseUrl(), "root", "");
    }

    /** Statements that clients sent while the action ran; reading the counter is one, which is not counted. */
    long statements(Runnable action) throws SQLException {
        return counted("Questions", action) - 1;
    }

    /** Rows that were updated while the action ran. */
    long rowsUpdated(Runnable action) throws SQLException {
        return counted("Handler_update", action);
    }

    private long counted(String counter, Runnable action) throws SQLException {
        return counted(List.of(counter), action).get(counter);
    }

    /** By how much the counters grew while the action ran. */
    Map<String, Long> counted(List<String> counters, Runnable action) throws SQLException {
        Map<String, Long> grown = new TreeMap<>();
        for (String counter : counters) {
            grown.put(counter, -read(counter));
        }
        action.run();
        for (String counter : counters) {
            grown.merge(counter, read(counter), Long::sum);
        }
        return grown;
    }

    private long read(String counter) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SHOW GLOBAL STATUS LIKE '" + counter + "'");
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getLong(2);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
