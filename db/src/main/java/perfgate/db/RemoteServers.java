package perfgate.db;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.OptionalLong;

/** Access to servers that somebody else runs, as the service's own user: their status asks for no privilege. */
record RemoteServers(HostAndPort database, HostAndPort redis, String user, String password) implements ServerAccess {
    @Override
    public Connection openDatabase() throws SQLException {
        return DriverManager.getConnection(
                "jdbc:mariadb://%s:%d/".formatted(database.host(), database.port()), user, password);
    }

    @Override
    public RespConnection openRedis() throws IOException {
        return new RespConnection(new InetSocketAddress(redis.host(), redis.port()));
    }

    /** A container that shares the database's process namespace sees its process; others do not. */
    @Override
    public void addProcesses(MetricsPage page) throws IOException {
        OptionalLong pid = ProcessHandle.allProcesses()
                .mapToLong(ProcessHandle::pid)
                .filter(id -> isNamed(id, MariaDbServer.NAME))
                .findFirst();
        if (pid.isPresent()) {
            new ProcessMetrics(MariaDbServer.NAME, pid.getAsLong()).addTo(page);
        }
    }

    private static boolean isNamed(long pid, String name) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(pid), "comm"))
                    .strip()
                    .equals(name);
        } catch (IOException e) {
            // It has ended since it was listed.
            return false;
        }
    }
}
