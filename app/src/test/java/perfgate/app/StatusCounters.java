package perfgate.app;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The server's own counters, read over a connection beside the service's pool. */
final class StatusCounters implements AutoCloseable {

    private final Connection connection;

    StatusCounters() throws SQLException {
        connection = Services.running().connect();
    }

    /** Statements that clients sent while the action ran; reading the counter is one, which is not counted. */
    long statements(Runnable action) throws SQLException {
        return counted("Questions", action) - 1;
    }

    /** Rows that were updated while the action ran. */
    long rowsUpdated(Runnable action) throws SQLException {
        return counted("Handler_update", action);
    }

    /** Rows that were read while the action ran, of tables and of indexes; reading the counters reads some too. */
    long rowsRead(Runnable action) throws SQLException {
        long ownRows = counted("Handler_read_%", () -> {});
        return counted("Handler_read_%", action) - ownRows;
    }

    private long counted(String counter, Runnable action) throws SQLException {
        long before = read(counter);
        action.run();
        return read(counter) - before;
    }

    /** The counter, or the sum of those that the pattern fits. */
    private long read(String counter) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SHOW GLOBAL STATUS LIKE '" + counter + "'");
                ResultSet row = statement.executeQuery()) {
            long sum = 0;
            while (row.next()) {
                sum += row.getLong(2);
            }
            return sum;
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
