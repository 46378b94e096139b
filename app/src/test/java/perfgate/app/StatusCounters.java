package perfgate.app;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reads the database server's own counters over a connection outside the service's pool. */
public final class StatusCounters implements AutoCloseable {

    /** What a test counts. It may count something else meanwhile. */
    @FunctionalInterface
    interface Action {
        void run() throws SQLException;
    }

    private final Connection connection;

    public StatusCounters() throws SQLException {
        this(Services.running().connect());
    }

    StatusCounters(Connection connection) {
        this.connection = connection;
    }

    /** Statements that clients sent while the action ran, without the one that reads the counter. */
    long statements(Action action) throws SQLException {
        return growth("Questions", action) - 1;
    }

    /** Rows that were updated while the action ran. */
    long rowsUpdated(Action action) throws SQLException {
        return growth("Handler_update", action);
    }

    /** Rows read from tables and indexes while the action ran, without those that reading the counters costs. */
    long rowsRead(Action action) throws SQLException {
        long ownRows = growth("Handler_read_%", () -> {});
        return growth("Handler_read_%", action) - ownRows;
    }

    /** Deadlocks so far. MySQL does not count them: always 0. */
    public long deadlocks() throws SQLException {
        return read("Innodb_deadlocks");
    }

    private long growth(String counter, Action action) throws SQLException {
        return growth(List.of(counter), action).get(counter);
    }

    /** How much each counter grew while the action ran. */
    Map<String, Long> growth(List<String> counters, Action action) throws SQLException {
        Map<String, Long> growth = new TreeMap<>();
        for (String counter : counters) {
            growth.put(counter, -read(counter));
        }
        action.run();
        for (String counter : counters) {
            growth.merge(counter, read(counter), Long::sum);
        }
        return growth;
    }

    /** The counter, or the sum of all counters that match the pattern. */
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
