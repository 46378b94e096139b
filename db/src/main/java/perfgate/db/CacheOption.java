package perfgate.db;

import java.nio.file.Path;
import org.jspecify.annotations.NullUnmarked;
import picocli.CommandLine.Option;

/** The option that all commands have. */
@NullUnmarked
final class CacheOption {
    @Option(
            names = "--cache",
            required = true,
            paramLabel = "DIR",
            description = "Directory of the unpacked servers and the snapshots.")
    private Path path;

    CacheDirectory directory() {
        return CacheDirectory.of(path);
    }
}
