import { createSystemClock, Terminal } from '../../adapters/host/index.ts';
import { exitCodes } from '../../model/fault.ts';
import { defectText, progressText } from '../../report/index.ts';
import { abortOnSignals } from '../interrupts.ts';
import { readSettings } from '../settings.ts';
import type { CreateCommand } from './command.ts';
import { runProgram } from './program.ts';

/** Runs the command line of this process. */
export async function runCli(commands: readonly CreateCommand[]): Promise<void> {
  // Node would end with 1, which is a regression. What nobody waits for any more cannot be stopped in order either: the
  // next check ends what this one leaves running.
  process.on('uncaughtException', (error) => {
    process.stderr.write(`\n${defectText(error)}`);
    process.exit(exitCodes.notMeasured);
  });
  const settings = readSettings(process.env, process.cwd());
  const terminal = new Terminal({
    stdout: process.stdout,
    stderr: process.stderr,
    env: settings.env,
    ci: settings.ci,
    clock: createSystemClock(),
    text: progressText,
  });
  const interrupts = abortOnSignals(process, (name) => terminal.printError(`${name}: stopping\n`));
  try {
    process.exitCode = await runProgram(commands, process.argv.slice(2), {
      settings,
      terminal,
      signal: interrupts.signal,
    });
  } finally {
    terminal.close();
    interrupts.dispose();
  }
}
