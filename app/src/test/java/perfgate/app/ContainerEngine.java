package perfgate.app;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Asks the container engine through its command. Testcontainers would start a container for that, and spend minutes on
 * pulling an image that no registry has.
 */
final class ContainerEngine {

    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(20);
    private static final Duration PULL_TIMEOUT = Duration.ofMinutes(5);

    private ContainerEngine() {}

    /** The reason why containers of these images cannot start; empty if they can. Pulls images that are missing. */
    static Optional<String> obstacle(List<String> images) {
        return failure(ANSWER_TIMEOUT, "docker", "version", "--format", "{{.Server.Version}}")
                .map(cause -> "no container engine answers: " + cause)
                .or(() -> images.stream()
                        .flatMap(image -> obstacle(image).stream())
                        .findFirst());
    }

    private static Optional<String> obstacle(String image) {
        if (failure(ANSWER_TIMEOUT, "docker", "image", "inspect", "--format", "{{.Id}}", image)
                .isEmpty()) {
            return Optional.empty();
        }
        return failure(PULL_TIMEOUT, "docker", "pull", "--quiet", image)
                .map(cause ->
                        "image %s is missing (.ci/images builds it) and pulling it failed: %s".formatted(image, cause));
    }

    /** The last output line of a failed command, or that it timed out; empty if the command succeeded. */
    private static Optional<String> failure(Duration timeout, String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            if (!process.waitFor(timeout.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return Optional.of(
                        "%s took longer than %s s".formatted(String.join(" ", command), timeout.toSeconds()));
            }
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return process.exitValue() == 0
                    ? Optional.empty()
                    : Optional.of(output.lines().reduce("it printed nothing", (previous, line) -> line));
        } catch (IOException e) {
            return Optional.of(e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
