import { Command, CommanderError } from 'commander';
import { exitCodes, Fault, type FaultDetails } from '../../model/fault.ts';
import { defectText, faultText } from '../../report/index.ts';
import { Interrupted } from '../interrupts.ts';
import type { CommandContext, CreateCommand } from './command.ts';

/** Runs one command line with one of the commands, and returns the exit code of the process. */
export async function runProgram(
  commands: readonly CreateCommand[],
  args: readonly string[],
  context: Omit<CommandContext, 'exit'>,
): Promise<number> {
  const { terminal, settings } = context;
  let exitCode: number = exitCodes.pass;
  const exit = (code: number) => {
    exitCode = code;
  };
  try {
    const program = createProgram(commands, { ...context, exit });
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.pass : exitCodes.usage;
    if (error instanceof Interrupted) {
      terminal.printError(`${error.message} before the end\n`);
      return error.exitCode;
    }
    if (error instanceof Fault) {
      const details = withShortPaths(error.details, settings.workingDirectory);
      terminal.printError(faultText(details, terminal.paintError));
      return error.details.kind === 'usage' ? exitCodes.usage : exitCodes.notMeasured;
    }
    terminal.printError(defectText(error, terminal.paintError));
    return exitCodes.notMeasured;
  }
}

function createProgram(commands: readonly CreateCommand[], context: CommandContext): Command {
  const program = new Command('gate')
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({ writeOut: context.terminal.print, writeErr: context.terminal.printError })
    .description(
      'Measures a service under load and reports whether it became slower, lost throughput or returned more errors.',
    );
  for (const create of commands) {
    const added = create(context).copyInheritedSettings(program);
    for (const subcommand of added.commands) subcommand.copyInheritedSettings(added);
    program.addCommand(added);
  }
  return program;
}

/** Paths relative to the working directory are shorter, and the same on every machine. */
function withShortPaths(details: FaultDetails, workingDirectory: string): FaultDetails {
  const shorten = (text: string) => text.replaceAll(`${workingDirectory}/`, '');
  return {
    ...details,
    place: shorten(details.place),
    cause: shorten(details.cause),
    nextStep: shorten(details.nextStep),
  };
}
