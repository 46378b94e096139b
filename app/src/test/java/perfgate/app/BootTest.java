package perfgate.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

@ExtendWith(OutputCaptureExtension.class)
class BootTest {

    @Test
    void reportsAnUnreachableDatabase(CapturedOutput output) {
        fail(Map.of("DB_URL", "jdbc:mariadb://127.0.0.1:1/perfgate"));

        assertThat(output.getOut()).contains("APPLICATION FAILED TO START", "127.0.0.1:1", "Check DB_URL");
    }

    @Test
    void reportsAnUnreachableRedis(CapturedOutput output) {
        fail(Map.of("REDIS_HOST", "127.0.0.1", "REDIS_PORT", 1));

        assertThat(output.getOut()).contains("APPLICATION FAILED TO START", "127.0.0.1", "Check REDIS_HOST");
    }

    @Test
    void reportsAnUnknownWayToPickQuotes(CapturedOutput output) {
        fail(Map.of("QUOTES_PICK", "random"));

        assertThat(output.getOut()).contains("APPLICATION FAILED TO START", "perf-gate.quotes.pick", "KEY", "SHUFFLE");
    }

    @Test
    void reportsAnUnreachableReplica(CapturedOutput output) {
        fail(Map.of("DB_REPLICA_URL", "jdbc:mariadb://127.0.0.1:1/perfgate"));

        assertThat(output.getOut()).contains("APPLICATION FAILED TO START", "127.0.0.1:1", "Check DB_REPLICA_URL");
    }

    @Test
    void needsOneConnection() {
        try (ConfigurableApplicationContext context = boot(Map.of("DB_POOL_SIZE", 1))) {
            assertThat(context.isRunning()).isTrue();
        }
    }

    private static void fail(Map<String, Object> wrong) {
        assertThatThrownBy(() -> boot(wrong)).isNotNull();
    }

    private static ConfigurableApplicationContext boot(Map<String, Object> variables) {
        Map<String, Object> environment = new HashMap<>(Services.running().environment());
        environment.put("SERVER_PORT", 0);
        environment.put("MANAGEMENT_PORT", 0);
        environment.putAll(variables);
        String[] args = environment.entrySet().stream()
                .map(variable -> "--" + variable.getKey() + "=" + variable.getValue())
                .toArray(String[]::new);
        return SpringApplication.run(PerfGateApplication.class, args);
    }
}
