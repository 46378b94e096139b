import { createSystemClock } from '../adapters/system-clock.ts';
import { openTerminal } from '../adapters/terminal.ts';
import * as progressText from '../report/progress.ts';
import { abortOnSignals } from './interrupts.ts';
import { runProgram } from './program.ts';
import { readSettings } from './settings.ts';

const terminal = openTerminal({
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  clock: createSystemClock(),
  text: progressText,
});
const interrupts = abortOnSignals(process, (name) => terminal.printError(`${name}: stopping\n`));
try {
  process.exitCode = await runProgram(process.argv.slice(2), {
    settings: readSettings(process.env, process.cwd()),
    terminal,
    signal: interrupts.signal,
  });
} finally {
  terminal.close();
  interrupts.dispose();
}
