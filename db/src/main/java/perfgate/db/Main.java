package perfgate.db;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;

/** The command line: wires the commands and maps what they end with to exit codes. */
@Command(
        name = "perf-gate-db",
        description = "Seeds, keeps, restores and serves the reference service's data.",
        mixinStandardHelpOptions = true)
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        // What the driver has to say comes as exceptions too; on the console it would only be said twice.
        System.setProperty("mariadb.logging.disable", "true");
        Shutdown shutdown = Shutdown.installed();
        System.exit(commandLine(shutdown).execute(args));
    }

    private static CommandLine commandLine(Shutdown shutdown) {
        IExecutionExceptionHandler onFault = (exception, command, parsed) -> {
            Fault fault = fault(exception);
            if (!shutdown.begun()) {
                Progress.say(fault.text());
            }
            return fault.code().exitCode;
        };
        IParameterExceptionHandler onUsage = (exception, args) -> {
            Fault fault = new Fault(
                    Fault.Code.USAGE,
                    "command line",
                    exception.getMessage(),
                    "see " + exception.getCommandLine().getCommandSpec().qualifiedName() + " --help");
            Progress.say(fault.text());
            return fault.code().exitCode;
        };
        return new CommandLine(new Main())
                .addSubcommand(new SeedCommand(shutdown))
                .addSubcommand(new ServeCommand(shutdown))
                .addSubcommand(new VerifyCommand(shutdown))
                .addSubcommand(new InfoCommand(shutdown))
                .addSubcommand(new CommandLine(new SnapshotCommand())
                        .addSubcommand(new SnapshotArchiveCommand(shutdown))
                        .addSubcommand(new SnapshotRestoreCommand(shutdown)))
                .addSubcommand(new ExporterCommand(shutdown))
                .setExecutionExceptionHandler(onFault)
                .setParameterExceptionHandler(onUsage);
    }

    /** Whatever went wrong in the form that is told; what was not foreseen keeps its origin. */
    static Fault fault(Exception exception) {
        if (exception instanceof Fault fault) {
            return fault;
        }
        String message = exception.getClass().getSimpleName() + ": " + exception.getMessage();
        if (DiskWatch.tellsOfFullDisk(message)) {
            return new Fault(
                    Fault.Code.DISK_FULL, "disk", message, "free space there, or name a directory on another disk");
        }
        return new Fault(
                Fault.Code.INTERNAL,
                exception.getStackTrace().length > 0 ? exception.getStackTrace()[0].toString() : "perf-gate-db",
                message,
                "run again; if it stays, report it with this text",
                List.of(),
                exception);
    }
}
