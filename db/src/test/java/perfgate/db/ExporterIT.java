package perfgate.db;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class ExporterIT {
    @TempDir
    private Path work;

    @Test
    void showsServersThatRunElsewhere() throws Exception {
        try (Launcher serve = Launcher.start("serve", "--cache", SharedCache.ready(), "--work", work)) {
            JsonNode env = serve.json(0).get("env");
            String database = URI.create(env.get("DB_URL").asString().substring("jdbc:".length()))
                    .getAuthority();
            int port = LoopbackPorts.anyFree();
            try (Launcher exporter = Launcher.start(
                    Map.of("DB_USER", "perfgate", "DB_PASSWORD", "perfgate"),
                    "exporter",
                    "--listen=127.0.0.1:" + port,
                    "--db=" + database,
                    "--redis=127.0.0.1:" + env.get("REDIS_PORT").asString())) {
                String page = awaitPage(port);

                assertThat(page)
                        .contains("mysql_up 1\n", "redis_up 1\n", "mysql_global_status_questions ")
                        .contains("process_cpu_seconds_total{process=\"mariadbd\"} ");
                exporter.signal("TERM");
                assertThat(exporter.awaitExit()).isEqualTo(143);
            }
        }
    }

    @Test
    void wrongAddressIsTold() throws Exception {
        Launcher exporter = Launcher.run("exporter", "--listen=9104", "--db=a:1", "--redis=b:2");

        assertThat(exporter.awaitExit()).isEqualTo(2);
        assertThat(exporter.errors()).contains("error[USAGE]", "expected HOST:PORT, got 9104");
    }

    private static String awaitPage(int port) throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                .build();
        try (HttpClient client = HttpClient.newHttpClient()) {
            for (int i = 0; i < 200; i++) {
                try {
                    HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
                    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
                    return answer.body();
                } catch (IOException e) {
                    // Not listening yet.
                    Thread.sleep(50);
                }
            }
        }
        throw new AssertionError("never listened");
    }
}
