package perfgate.db;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import org.junit.jupiter.api.Test;

class MariaDbMetricsTest {
    @Test
    void namesAreThoseOfTheExporterAndFamiliesStayTogether() {
        var status = new LinkedHashMap<String, String>();
        status.put("Com_select", "7");
        status.put("Handler_read_rnd_next", "1000");
        status.put("Threads_running", "2");
        status.put("Com_update", "1");
        status.put("Innodb_buffer_pool_load_status", "completed");
        status.put("Innodb_buffer_pool_load_incomplete", "OFF");
        status.put("Questions", "12");
        var own = MariaDbMetrics.OwnCost.NONE.nextStatement().answered(500).nextStatement();
        var page = new MetricsPage();

        new MariaDbMetrics(status, own).addTo(page);

        assertThat(page.text()).isEqualTo("""
                        # TYPE mysql_up gauge
                        mysql_up 1
                        # TYPE mysql_global_status_commands_total counter
                        mysql_global_status_commands_total{command="select"} 7
                        mysql_global_status_commands_total{command="update"} 1
                        # TYPE mysql_global_status_handlers_total counter
                        mysql_global_status_handlers_total{handler="read_rnd_next"} 499
                        # TYPE mysql_global_status_threads_running untyped
                        mysql_global_status_threads_running 2
                        # TYPE mysql_global_status_innodb_buffer_pool_load_incomplete untyped
                        mysql_global_status_innodb_buffer_pool_load_incomplete 0
                        # TYPE mysql_global_status_questions untyped
                        mysql_global_status_questions 10
                        """);
    }

    @Test
    void redisIsNamedAsItsExporterDoes() {
        var page = new MetricsPage();

        new RedisMetrics(String.join(
                        "\r\n",
                        List.of(
                                "# Stats",
                                "keyspace_hits:3",
                                "cmdstat_get:calls=4,usec=2000,usec_per_call=500.00",
                                "db0:keys=9,expires=0,avg_ttl=0")))
                .addTo(page);

        assertThat(page.text())
                .contains("redis_keyspace_hits_total 3\n")
                .contains("redis_commands_total{cmd=\"get\"} 4\n")
                .contains("redis_commands_duration_seconds_total{cmd=\"get\"} 0.002\n")
                .contains("redis_db_keys{db=\"db0\"} 9\n");
    }
}
