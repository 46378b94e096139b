package perfgate.db;

import java.nio.file.Path;
import org.jspecify.annotations.NullUnmarked;
import picocli.CommandLine.Option;

/** The option that the snapshot commands share. */
@NullUnmarked
final class ArchivesOption {
    @Option(
            names = "--archives",
            required = true,
            paramLabel = "DIR",
            description = "Directory of the archived snapshots.")
    private Path path;

    CacheDirectory directory() {
        return CacheDirectory.of(path);
    }
}
