package perfgate.db;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** MariaDB's own installation of its system tables in an empty data directory. */
record Installation(Engines engines, Path data, Path log) {
    private static final Duration BOUND = Duration.ofMinutes(1);

    void run(Shutdown shutdown) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of(
                engines.installScript().toString(),
                "--no-defaults",
                "--basedir=" + engines.mariaDb(),
                "--datadir=" + data,
                "--auth-root-authentication-method=normal",
                "--skip-name-resolve",
                "--skip-test-db"));
        command.addAll(MariaDbServer.runAs());
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try (var _ = shutdown.register(() -> end(process))) {
            boolean ended = process.waitFor(BOUND.toSeconds(), TimeUnit.SECONDS);
            if (!ended || process.exitValue() != 0) {
                throw failed(ended ? "it ended with status " + process.exitValue() : "it did not end");
            }
        }
    }

    /** The script, and the mariadbd that it runs. */
    private static void end(Process process) {
        List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
        all.add(process.toHandle());
        all.forEach(ProcessHandle::destroyForcibly);
    }

    private Fault failed(String cause) throws IOException {
        String text = Files.readString(log);
        if (DiskWatch.tellsOfFullDisk(text)) {
            return DiskSpace.full(data, "the disk became full while installing MariaDB");
        }
        return new Fault(
                Fault.Code.INSTALL_FAILED,
                "mariadb-install-db",
                cause,
                "read its log lines; a missing library is installed with the system's package manager",
                text.lines().toList());
    }
}
