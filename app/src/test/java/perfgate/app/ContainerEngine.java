package perfgate.app;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The container engine, asked by its command: Testcontainers starts a container to answer, and tries for minutes to pull
 * an image that is nowhere.
 */
final class ContainerEngine {

    private static final Duration ANSWER = Duration.ofSeconds(20);
    private static final Duration PULL = Duration.ofMinutes(5);

    private ContainerEngine() {}

    /** Why containers of these images cannot be started; empty if they can. Gets the images that are not here. */
    static Optional<String> lackOf(List<String> images) {
        return refusal(ANSWER, "docker", "version", "--format", "{{.Server.Version}}")
                .map(cause -> "no container engine answers: " + cause)
                .or(() ->
                        images.stream().flatMap(image -> lackOf(image).stream()).findFirst());
    }

    private static Optional<String> lackOf(String image) {
        if (refusal(ANSWER, "docker", "image", "inspect", "--format", "{{.Id}}", image)
                .isEmpty()) {
            return Optional.empty();
        }
        return refusal(PULL, "docker", "pull", "--quiet", image)
                .map(cause ->
                        "image %s is not here (.ci/images makes it) nor to be pulled: %s".formatted(image, cause));
    }

    /** What the command said last if it failed, or did not end. */
    private static Optional<String> refusal(Duration bound, String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            if (!process.waitFor(bound.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return Optional.of("%s took longer than %s s".formatted(String.join(" ", command), bound.toSeconds()));
            }
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return process.exitValue() == 0
                    ? Optional.empty()
                    : Optional.of(said.lines().reduce("it said nothing", (former, line) -> line));
        } catch (IOException e) {
            return Optional.of(e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
