package perfgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Starts the service as a process, because Spring Boot sets up logging once per JVM. */
class LogFormatTest {

    @Test
    void eachLineIsJsonIfAsked() throws Exception {
        ProcessBuilder service = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                PerfGateApplication.class.getName());
        service.environment()
                .putAll(Map.of("LOG_FORMAT", "ecs", "DB_URL", "jdbc:mariadb://127.0.0.1:1/none", "DB_USER", "nobody"));
        Process process = service.redirectError(ProcessBuilder.Redirect.INHERIT).start();

        List<JsonNode> events;
        try (BufferedReader lines = process.inputReader()) {
            events = lines.lines().map(JsonMapper.shared()::readTree).toList();
        }

        assertThat(events)
                .isNotEmpty()
                .allSatisfy(event ->
                        assertThat(event.at("/service/name").asString()).isEqualTo("perf-gate-app"));
        assertThat(events).anySatisfy(event -> {
            assertThat(event.at("/log/level").asString()).isEqualTo("ERROR");
            assertThat(event.at("/message").asString()).contains("APPLICATION FAILED TO START", "Check DB_URL");
        });
    }
}
