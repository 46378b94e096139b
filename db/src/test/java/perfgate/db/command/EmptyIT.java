package perfgate.db.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static perfgate.db.command.Served.connect;
import static perfgate.db.command.Served.number;
import static perfgate.db.command.Served.redis;
import static perfgate.db.command.Served.update;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import tools.jackson.databind.JsonNode;

/** The servers without the seeded data, on which the service's tests run. */
class EmptyIT {
    private static final String TABLES =
            "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'perfgate'";

    @TempDir
    private Path work;

    @Test
    void servesEmptyServersAndRestoresThem() throws Exception {
        try (Launcher serve = Launcher.start("serve", "--empty", "--work", work)) {
            JsonNode first = serve.json(0);
            assertThat(first.get("dataKey").asString()).isEqualTo("empty");
            assertThat(number(first, TABLES)).isZero();
            update(first, "CREATE TABLE perfgate.any_table (id INT)");
            update(first, "CREATE DATABASE another");
            try (Jedis redis = redis(first)) {
                assertThat(redis.dbSize()).isZero();
                redis.set("key", "value");
            }

            serve.say("restore");
            JsonNode second = serve.json(1);

            assertThat(second.get("env")).isEqualTo(first.get("env"));
            assertThat(number(second, TABLES)).isZero();
            try (Jedis redis = redis(second)) {
                assertThat(redis.dbSize()).isZero();
            }
        }
    }

    @Test
    void startsTheDatabaseWithFurtherOptions() throws Exception {
        String flush = "SELECT @@innodb_flush_log_at_trx_commit";
        try (Launcher serve = Launcher.start("serve", "--empty", "--work", work)) {
            assertThat(number(serve.json(0), flush)).isEqualTo(2);
        }
        Map<String, String> env = Map.of("MARIADB_OPTIONS", "--innodb-flush-log-at-trx-commit=1 --max-connections=17");
        try (Launcher serve = Launcher.start(env, "serve", "--empty", "--work", work)) {
            JsonNode ready = serve.json(0);
            assertThat(number(ready, flush)).isEqualTo(1);
            assertThat(number(ready, "SELECT @@max_connections")).isEqualTo(17);
        }
        Launcher unknown = Launcher.run("serve", "--empty", "--work", work, "--mariadb-options=--no-such-option");
        assertThat(unknown.json(0).toString()).contains("no-such-option");
    }

    @Test
    void takesOneServerAwayAndBringsItBackAtItsPort() throws Exception {
        try (Launcher serve = Launcher.start("serve", "--empty", "--work", work, "--kafka")) {
            JsonNode ready = serve.json(0);
            Map<String, Object> client = Map.of(
                    "bootstrap.servers",
                    ready.at("/env/KAFKA_BOOTSTRAP_SERVERS").asString());
            update(ready, "CREATE TABLE kept (id INT)");
            update(ready, "INSERT INTO kept VALUES (1)");
            try (Admin admin = Admin.create(client)) {
                admin.createTopics(List.of(new NewTopic("kept", 1, (short) 1)))
                        .all()
                        .get(60, TimeUnit.SECONDS);
                assertThat(answer(serve, 1, "kill kafka")).isEqualTo("kill kafka");
                answer(serve, 2, "start kafka");
                assertThat(admin.listTopics().names().get(60, TimeUnit.SECONDS)).contains("kept");
            }

            answer(serve, 3, "kill database");
            assertThatThrownBy(() -> connect(ready)).isInstanceOf(SQLException.class);
            answer(serve, 4, "start database");
            assertThat(number(ready, "SELECT COUNT(*) FROM kept")).isEqualTo(1);

            try (Jedis impatient = redis(ready)) {
                impatient.set("key", "value");
                answer(serve, 5, "freeze redis");
                impatient.getConnection().setSoTimeout(300);
                assertThatThrownBy(impatient::ping)
                        .isInstanceOf(JedisConnectionException.class)
                        .hasMessageContaining("timed out");
            }
            answer(serve, 6, "thaw redis");
            try (Jedis redis = redis(ready)) {
                assertThat(redis.dbSize()).isEqualTo(1);
            }

            int port = Integer.parseInt(ready.at("/env/REDIS_PORT").asString());
            try (Jedis stranger = new Jedis("127.0.0.1", port)) {
                assertThatThrownBy(stranger::ping).hasMessageContaining("NOAUTH");
            }
            try (Jedis redis = redis(ready)) {
                assertThatThrownBy(() -> redis.configSet("dir", "/")).hasMessageContaining("unknown command");
            }

            answer(serve, 7, "kill redis");
            answer(serve, 8, "start redis");
            try (Jedis redis = redis(ready)) {
                assertThat(redis.dbSize()).isZero();
            }
        }
    }

    @Test
    void aServerThatIsNotServedIsReported() throws Exception {
        Launcher serve = Launcher.start("serve", "--empty", "--work", work);
        serve.json(0);

        serve.say("kill kafka");

        assertThat(serve.json(1).at("/error/message").asString()).isEqualTo("kill kafka: it is not served");
        assertThat(serve.awaitExit()).isEqualTo(2);
    }

    private static String answer(Launcher serve, int line, String command) throws Exception {
        serve.say(command);
        return serve.json(line).get("done").asString();
    }
}
