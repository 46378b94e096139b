package perfgate.db;

import picocli.CommandLine.Command;

@Command(
        name = "snapshot",
        description = "Keeps the seeded snapshot as one file, and restores it for servers in containers.")
final class SnapshotCommand {}
