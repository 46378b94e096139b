package perfgate.app;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

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
        long before = read(counter);
        action.run();
        return read(counter) - before;
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
