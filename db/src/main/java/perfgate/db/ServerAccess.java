package perfgate.db;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;

/** How the exporter reaches the servers whose counters it shows. */
interface ServerAccess {
    Connection openDatabase() throws SQLException;

    RespConnection openRedis() throws IOException;

    /** What the servers' processes take, as far as they can be seen from here. */
    void addProcesses(MetricsPage page) throws IOException;
}
