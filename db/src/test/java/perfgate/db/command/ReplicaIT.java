package perfgate.db.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static perfgate.db.command.Served.connect;
import static perfgate.db.command.Served.connectToReplica;
import static perfgate.db.command.Served.number;
import static perfgate.db.command.Served.update;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A read-only replica of the database, which follows all its changes. */
class ReplicaIT {
    private static final String RENAME = "UPDATE members SET name = 'renamed' WHERE id = 5";
    private static final String RENAMED = "SELECT COUNT(*) FROM members WHERE name = 'renamed'";
    private static final String KEPT = "SELECT COUNT(*) FROM kept";
    private static final int BOUND_SECONDS = 60;

    @TempDir
    private Path work;

    @Test
    void theReplicaFollowsTheDatabaseThroughARestore() throws Exception {
        Launcher serve = Launcher.start("serve", "--cache", SharedCache.ready(), "--work", work, "--replica");
        JsonNode first = serve.json(0);
        assertThat(first.at("/versions/replica").asString()).isEqualTo("MariaDB 11.4.5");
        assertThat(programs(serve)).containsExactlyInAnyOrder("mariadbd", "mariadb-replica", "redis-server");
        try (Connection replica = connectToReplica(first)) {
            assertThat(number(replica, "SELECT COUNT(*) FROM members")).isEqualTo(752_703);
            assertThatThrownBy(() -> update(replica, RENAME))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("--read-only");
            update(first, RENAME);
            awaitReplica(first);
            assertThat(number(replica, RENAMED)).isEqualTo(1);
        }

        serve.say("restore");
        JsonNode second = serve.json(1);

        assertThat(second.get("env")).isEqualTo(first.get("env"));
        try (Connection replica = connectToReplica(second)) {
            assertThat(number(replica, RENAMED)).isZero();
            update(second, RENAME);
            awaitReplica(second);
            assertThat(number(replica, RENAMED)).isEqualTo(1);
        }
        List<ProcessHandle> servers = serve.servers();
        serve.say("stop");
        assertThat(serve.awaitExit()).isZero();
        assertThat(servers).hasSize(3).noneMatch(ProcessHandle::isAlive);
        assertThat(work).isDirectoryNotContaining(path -> !path.endsWith("lock"));
    }

    @Test
    void theReplicaCatchesUpAfterEitherServerWasAway() throws Exception {
        Map<String, String> env = Map.of("DB_REPLICA", "true");
        try (Launcher serve = Launcher.start(env, "serve", "--empty", "--work", work)) {
            JsonNode ready = serve.json(0);
            update(ready, "CREATE TABLE kept (id INT)");
            awaitReplica(ready);
            try (Connection replica = connectToReplica(ready)) {
                assertThatThrownBy(() -> update(replica, "INSERT INTO kept VALUES (1)"))
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining("--read-only");
            }

            change(serve, 1, "kill replica");
            assertThatThrownBy(() -> connectToReplica(ready)).isInstanceOf(SQLException.class);
            update(ready, "INSERT INTO kept VALUES (1)");
            change(serve, 2, "start replica");
            awaitReplica(ready);
            assertThat(keptOnReplica(ready)).isEqualTo(1);

            change(serve, 3, "freeze replica");
            update(ready, "INSERT INTO kept VALUES (2)");
            change(serve, 4, "thaw replica");
            awaitReplica(ready);
            assertThat(keptOnReplica(ready)).isEqualTo(2);

            change(serve, 5, "kill database");
            assertThat(keptOnReplica(ready)).isEqualTo(2);
            change(serve, 6, "start database");
            update(ready, "INSERT INTO kept VALUES (3)");
            awaitReplica(ready);
            assertThat(keptOnReplica(ready)).isEqualTo(3);
        }
    }

    private static long keptOnReplica(JsonNode ready) throws SQLException {
        try (Connection replica = connectToReplica(ready)) {
            return number(replica, KEPT);
        }
    }

    /** Waits until the replica has all that is written so far. */
    private static void awaitReplica(JsonNode ready) throws SQLException {
        try (Connection database = connect(ready);
                Connection replica = connectToReplica(ready);
                var statement = database.createStatement();
                var row = statement.executeQuery("SELECT @@gtid_binlog_pos")) {
            row.next();
            String wait = "SELECT MASTER_GTID_WAIT('%s', %d)".formatted(row.getString(1), BOUND_SECONDS);
            assertThat(number(replica, wait)).as(wait).isZero();
        }
    }

    private static void change(Launcher serve, int line, String command) throws Exception {
        serve.say(command);
        assertThat(serve.json(line).get("done").asString()).isEqualTo(command);
    }

    /** Programs have these names, and the gate reports the CPU time of each. */
    private static List<String> programs(Launcher serve) throws IOException {
        var names = new ArrayList<String>();
        for (ProcessHandle server : serve.servers()) {
            names.add(Files.readString(Path.of("/proc", Long.toString(server.pid()), "comm"))
                    .strip());
        }
        return names;
    }
}
