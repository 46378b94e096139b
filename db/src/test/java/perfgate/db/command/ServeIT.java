package perfgate.db.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static perfgate.db.command.Served.connect;
import static perfgate.db.command.Served.number;
import static perfgate.db.command.Served.redis;
import static perfgate.db.command.Served.update;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import perfgate.db.server.Engines;
import perfgate.db.server.MariaDbServer;
import perfgate.db.snapshot.Snapshot;
import redis.clients.jedis.Jedis;
import tools.jackson.databind.JsonNode;

class ServeIT {
    @TempDir
    private Path work;

    @Test
    void servesTheSeededData() throws Exception {
        try (Launcher serve = serve()) {
            JsonNode ready = serve.json(0);

            assertThat(ready.get("ready").asBoolean()).isTrue();
            assertThat(ready.get("dataKey").asString()).isEqualTo(Snapshot.KEY);
            assertThat(ready.at("/versions/database").asString()).startsWith("MariaDB 11.4");
            assertThat(ready.get("timingsMs").propertyNames()).containsExactly("seed", "restore", "start");
            assertThat(number(ready, "SELECT COUNT(*) FROM members")).isEqualTo(752_703);
            assertThat(number(ready, "SELECT COUNT(*) FROM plans WHERE trip_id = 20000"))
                    .isEqualTo(10);
            assertThat(number(ready, "SELECT COUNT(*) FROM trips WHERE member_id = 5000"))
                    .isEqualTo(4);
            try (Jedis redis = redis(ready)) {
                assertThat(redis.get("member:key:member752703@example.com")).isEqualTo("752703");
            }
        }
    }

    @Test
    void theServiceSeesItsOwnDatabaseOnly() throws Exception {
        try (Launcher serve = serve()) {
            JsonNode ready = serve.json(0);

            assertThatThrownBy(() -> number(ready, "SELECT COUNT(*) FROM mysql.global_priv"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("denied");
            String root = ready.at("/env/DB_URL").asString();
            assertThatThrownBy(() -> DriverManager.getConnection(root, "root", ""))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("denied");
        }
    }

    @Test
    void restoreBringsTheDataBackOnTheSamePorts() throws Exception {
        try (Launcher serve = serve()) {
            JsonNode first = serve.json(0);
            update(first, "DELETE FROM plans WHERE trip_id <= 10000");
            try (Jedis redis = redis(first)) {
                redis.flushAll();
            }

            serve.say("restore");
            JsonNode second = serve.json(1);

            assertThat(second.get("env")).isEqualTo(first.get("env"));
            assertThat(second.get("metricsUrl")).isEqualTo(first.get("metricsUrl"));
            assertThat(number(second, "SELECT COUNT(*) FROM plans")).isEqualTo(200_000);
            try (Jedis redis = redis(second)) {
                assertThat(redis.dbSize()).isEqualTo(752_703);
            }
            assertThat(metrics(second)).containsKey("mysql_global_status_questions");
        }
    }

    @Test
    void metricsCountTheWorkOfTheServiceAndNotTheirOwn() throws Exception {
        try (Launcher serve = serve()) {
            JsonNode ready = serve.json(0);
            try (Connection connection = connect(ready);
                    var statement = connection.createStatement()) {
                statement.execute("SELECT 1");
                Map<String, Double> before = metrics(ready);
                Map<String, Double> between = metrics(ready);
                statement.execute("SELECT * FROM concert_seats WHERE concert_schedule_id = 77");
                statement.execute("UPDATE members SET name = 'other' WHERE id = 5");
                try (Jedis redis = redis(ready)) {
                    redis.get("member:key:member1@example.com");
                    redis.get("nothing");
                }
                Map<String, Double> after = metrics(ready);

                assertThat(sameCounters(before, between)).isTrue();
                assertThat(change(between, after, "mysql_global_status_questions"))
                        .isEqualTo(2);
                assertThat(change(between, after, "mysql_global_status_commands_total{command=\"select\"}"))
                        .isEqualTo(1);
                assertThat(change(between, after, "mysql_global_status_commands_total{command=\"update\"}"))
                        .isEqualTo(1);
                assertThat(change(between, after, "mysql_global_status_handlers_total{handler=\"read_next\"}"))
                        .isEqualTo(150);
                assertThat(change(between, after, "mysql_global_status_rows_read"))
                        .isEqualTo(151);
                assertThat(change(between, after, "mysql_global_status_handlers_total{handler=\"update\"}"))
                        .isEqualTo(1);
                assertThat(change(between, after, "redis_keyspace_hits_total")).isEqualTo(1);
                assertThat(change(between, after, "redis_keyspace_misses_total"))
                        .isEqualTo(1);
                assertThat(after).containsEntry("redis_commands_total{cmd=\"get\"}", 2.0);
            }
        }
    }

    @Test
    void metricsHaveTheRowsOfEachTableOnRequestAndTheKeysOfRedis() throws Exception {
        String members = "mysql_info_schema_table_rows{schema=\"perfgate\",table=\"members\"}";
        String keys = "redis_db_keys{db=\"db0\"}";
        String expiring = "redis_db_keys_expiring{db=\"db0\"}";
        try (Launcher serve = serve()) {
            JsonNode ready = serve.json(0);
            Map<String, Double> rowsBefore = metrics(ready, "?collect%5B%5D=info_schema.tables");
            Map<String, Double> keysBefore = metrics(ready);
            try (Connection connection = connect(ready);
                    var statement = connection.createStatement();
                    Jedis redis = redis(ready)) {
                statement.execute("DELETE FROM members ORDER BY id DESC LIMIT 3");
                redis.set("lasting", "1");
                redis.setex("expiring", 600, "1");
                Map<String, Double> rowsAfter = metrics(ready, "?collect%5B%5D=info_schema.tables");
                assertThat(change(rowsBefore, rowsAfter, members)).isEqualTo(-3);
                Map<String, Double> keysAfter = metrics(ready);
                assertThat(keysAfter).doesNotContainKey(members);
                assertThat(change(keysBefore, keysAfter, keys)).isEqualTo(2);
                assertThat(keysAfter.get(expiring)).isEqualTo(keysBefore.get(expiring) + 1);
            }
        }
    }

    @Test
    void metricsCountWaitsForRowsAndSlowStatements() throws Exception {
        String waits = "mysql_global_status_innodb_row_lock_waits";
        String waited = "mysql_global_status_innodb_row_lock_time";
        String slow = "mysql_global_status_slow_queries";
        try (Launcher serve = serve()) {
            JsonNode ready = serve.json(0);
            Map<String, Double> before = metrics(ready);
            try (Connection first = connect(ready);
                    var statement = first.createStatement();
                    var second = Executors.newSingleThreadExecutor()) {
                first.setAutoCommit(false);
                statement.execute("UPDATE members SET name = 'first' WHERE id = 5");
                var waiting = second.submit(() -> {
                    run(ready, "UPDATE members SET name = 'second' WHERE id = 5");
                    return null;
                });
                while (!waiting.isDone() && change(before, metrics(ready), waits) == 0) {
                    Thread.onSpinWait();
                }
                // It has waited before this statement ends, and then counts as slow too.
                statement.execute("SELECT SLEEP(0.6)");
                first.commit();
                waiting.get();
            }
            Map<String, Double> after = metrics(ready);

            assertThat(change(before, after, waits)).isEqualTo(1);
            assertThat(change(before, after, waited)).isGreaterThanOrEqualTo(600);
            assertThat(change(before, after, slow)).isGreaterThanOrEqualTo(2);
        }
    }

    @Test
    void slowStatementsAreLoggedAndTheLogStaysSmall() throws Exception {
        Path log = work.resolve("slow.log");
        Path earlier = work.resolve("slow.log.1");
        Launcher serve = Launcher.start("serve", "--empty", "--work", work, "--slow-log");
        JsonNode ready = serve.json(0);
        run(ready, "DO SLEEP(0)");
        run(ready, "DO SLEEP(0.6)");
        assertThat(Files.readString(log)).contains("DO SLEEP(0.6)").doesNotContain("DO SLEEP(0)");

        try (var file = FileChannel.open(log, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.wrap(new byte[] {'\n'}), 65 << 20);
        }
        serve.awaitError("slow.log was rotated");
        run(ready, "DO SLEEP(0.7)");
        serve.say("stop");
        serve.awaitExit();

        assertThat(earlier).hasSize((65 << 20) + 1);
        assertThat(Files.readString(log)).contains("SLEEP(0.7)").doesNotContain("SLEEP(0.6)");
    }

    @Test
    void stopEndsAllAndRemovesTheData() throws Exception {
        Launcher serve = serve();
        JsonNode ready = serve.json(0);
        List<ProcessHandle> servers = serve.servers();

        serve.say("stop");

        assertThat(serve.awaitExit()).isZero();
        assertNothingLeft(servers);
        assertThat(listens(ready.at("/env/REDIS_PORT").asString())).isFalse();
    }

    @Test
    void endOfInputStops() throws Exception {
        Launcher serve = serveEmpty();
        serve.json(0);
        List<ProcessHandle> servers = serve.servers();

        serve.closeInput();

        assertThat(serve.awaitExit()).isZero();
        assertNothingLeft(servers);
    }

    @Test
    void terminationStops() throws Exception {
        Launcher serve = serveEmpty();
        serve.json(0);
        List<ProcessHandle> servers = serve.servers();

        serve.signal("TERM");

        assertThat(serve.awaitExit()).isEqualTo(143);
        assertNothingLeft(servers);
    }

    /** As a terminal does with Ctrl-C: to the group, of which the servers must not be part. */
    @Test
    void interruptStopsInOrder() throws Exception {
        Launcher serve = serveEmpty();
        serve.json(0);
        List<ProcessHandle> servers = serve.servers();
        for (ProcessHandle server : servers) {
            assertThat(session(server.pid())).isEqualTo(server.pid());
        }

        serve.signal("INT");

        assertThat(serve.awaitExit()).isEqualTo(130);
        assertNothingLeft(servers);
    }

    @Test
    void killedLauncherLeavesNothingRunningAndTheNextOneClearsUp() throws Exception {
        Launcher killed = serveEmpty();
        killed.json(0);
        List<ProcessHandle> servers = killed.servers();

        killed.signal("KILL");
        killed.awaitExit();

        for (ProcessHandle server : servers) {
            server.onExit().get(60, TimeUnit.SECONDS);
        }
        assertThat(work.resolve("data")).exists();
        try (Launcher next = serveEmpty()) {
            next.json(0);
            assertThat(next.errors()).contains("was left by an earlier serve and is removed");
        }
    }

    @Test
    void deadServerIsReported() throws Exception {
        Launcher serve = serveEmpty();
        serve.json(0);
        for (ProcessHandle server : serve.servers()) {
            if (server.info().command().orElse("").endsWith(MariaDbServer.NAME)) {
                server.destroyForcibly();
            }
        }

        JsonNode failure = serve.json(1);

        assertThat(failure.get("ready").asBoolean()).isFalse();
        assertThat(failure.at("/error/code").asString()).isEqualTo("SERVER_DIED");
        assertThat(failure.at("/error/message").asString()).isEqualTo("mariadbd: it ended with status 137");
        assertThat(failure.at("/error/logTail").size()).isPositive();
        assertThat(serve.awaitExit()).isEqualTo(3);
        assertThat(work.resolve("data")).doesNotExist();
        assertThat(work.resolve("mariadbd.log")).exists();
    }

    @Test
    void workDirectoryServesOneAtATime() throws Exception {
        try (Launcher first = serveEmpty()) {
            first.json(0);

            Launcher second = Launcher.start("serve", "--cache", SharedCache.ready(), "--work", work);

            assertThat(second.awaitExit()).isEqualTo(2);
            assertThat(second.json(0).at("/error/code").asString()).isEqualTo("WORK_IN_USE");
            assertThat(second.errors()).contains("error[WORK_IN_USE] " + work);
        }
    }

    @Test
    void fullDiskIsFoundBeforeRestoring() throws Exception {
        SharedCache.ready();
        try (Tmpfs small = Tmpfs.mount(work.resolve("small"), "size=100m")) {
            Launcher serve = Launcher.start("serve", "--cache", SharedCache.ready(), "--work", small.path());

            assertThat(serve.awaitExit()).isEqualTo(3);
            assertThat(serve.json(0).at("/error/code").asString()).isEqualTo("DISK_FULL");
        }
    }

    @Test
    void diskThatFillsUpWhileServingIsReported() throws Exception {
        SharedCache.ready();
        try (Tmpfs disk = Tmpfs.mount(work.resolve("disk"), "size=1100m")) {
            Launcher serve = Launcher.start("serve", "--cache", SharedCache.ready(), "--work", disk.path());
            serve.json(0);
            try (var out = Files.newOutputStream(disk.path().resolve("filler"))) {
                byte[] block = new byte[1 << 20];
                while (disk.freeBytes() > block.length) {
                    out.write(block);
                }
            }

            assertThat(serve.json(1).at("/error/code").asString()).isEqualTo("DISK_FULL");
            assertThat(serve.awaitExit()).isEqualTo(3);
        }
    }

    @Test
    void readOnlyCacheServes() throws Exception {
        try (Tmpfs disk = Tmpfs.mount(work.resolve("cache"), "size=800m")) {
            SharedCache.copyTo(disk.path());
            disk.makeReadOnly();

            try (Launcher serve = Launcher.start("serve", "--cache", disk.path(), "--work", work.resolve("work"))) {
                assertThat(serve.json(0).get("ready").asBoolean()).isTrue();
            }
        }
    }

    @Test
    void kafkaStaysThroughARestoreAndEndsWithTheRest() throws Exception {
        Launcher serve = Launcher.start("serve", "--cache", SharedCache.ready(), "--work", work, "--kafka");
        JsonNode first = serve.json(0);
        assertThat(first.at("/versions/kafka").asString()).isEqualTo(Engines.KAFKA_VERSION);
        Map<String, Object> client = Map.of(
                "bootstrap.servers", first.at("/env/KAFKA_BOOTSTRAP_SERVERS").asString());
        try (Admin admin = Admin.create(client)) {
            admin.createTopics(List.of(new NewTopic("topic", 1, (short) 1)))
                    .all()
                    .get(60, TimeUnit.SECONDS);

            serve.say("restore");
            JsonNode second = serve.json(1);

            assertThat(second.get("env")).isEqualTo(first.get("env"));
            assertThat(admin.listTopics().names().get(60, TimeUnit.SECONDS)).contains("topic");
        }
        List<ProcessHandle> servers = serve.servers();

        serve.say("stop");

        assertThat(serve.awaitExit()).isZero();
        assertNothingLeft(3, servers);
    }

    @Test
    void deadKafkaIsReported() throws Exception {
        Launcher serve = Launcher.start("serve", "--cache", SharedCache.ready(), "--work", work, "--kafka");
        serve.json(0);
        for (ProcessHandle server : serve.servers()) {
            if (server.info().command().orElse("").endsWith("java")) {
                server.destroyForcibly();
            }
        }

        assertThat(serve.json(1).at("/error/message").asString()).isEqualTo("kafka: it ended with status 137");
        assertThat(serve.awaitExit()).isEqualTo(3);
        assertThat(work.resolve("kafka")).doesNotExist();
        assertThat(work.resolve("kafka.log")).exists();
    }

    /** Where the end of processes is tested, and no data. */
    private Launcher serveEmpty() throws IOException {
        return Launcher.start("serve", "--empty", "--work", work);
    }

    private Launcher serve() throws IOException {
        return Launcher.start("serve", "--cache", SharedCache.ready(), "--work", work);
    }

    private void assertNothingLeft(List<ProcessHandle> servers) {
        assertNothingLeft(2, servers);
    }

    private void assertNothingLeft(int count, List<ProcessHandle> servers) {
        assertThat(servers).hasSize(count).noneMatch(ProcessHandle::isAlive);
        assertThat(work).isDirectoryNotContaining(path -> !path.endsWith("lock"));
    }

    /** MariaDB answers before it counts and logs a slow statement, but has done so when it answers the next one. */
    private static void run(JsonNode ready, String sql) throws SQLException {
        try (Connection connection = connect(ready);
                var statement = connection.createStatement()) {
            statement.execute(sql);
            statement.execute("DO 1");
        }
    }

    private static Map<String, Double> metrics(JsonNode ready) throws Exception {
        return metrics(ready, "");
    }

    private static Map<String, Double> metrics(JsonNode ready, String query) throws Exception {
        try (var http = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(
                            URI.create(ready.get("metricsUrl").asString() + query))
                    .build();
            HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("Content-Type"))
                    .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain; version=0.0.4"));
            var samples = new TreeMap<String, Double>();
            answer.body().lines().filter(line -> !line.startsWith("#")).forEach(line -> {
                int space = line.lastIndexOf(' ');
                assertThat(samples.put(line.substring(0, space), Double.valueOf(line.substring(space + 1))))
                        .as(line)
                        .isNull();
            });
            return samples;
        }
    }

    /** The counters that the gate takes costs from. */
    private static boolean sameCounters(Map<String, Double> before, Map<String, Double> after) {
        return after.keySet().stream()
                .filter(name -> name.matches(
                        ".*(questions|queries|rows_read|redis_commands_processed|commands_total\\{command|handlers).*"))
                .allMatch(name -> after.get(name).equals(before.get(name)));
    }

    private static double change(Map<String, Double> before, Map<String, Double> after, String name) {
        assertThat(after).containsKey(name);
        return after.get(name) - before.get(name);
    }

    private static boolean listens(String port) {
        try (var socket = new Socket("127.0.0.1", Integer.parseInt(port))) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    /** The sixth field of /proc/PID/stat, counted after the name in brackets. */
    private static long session(long pid) throws IOException {
        String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
        return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[3]);
    }
}
