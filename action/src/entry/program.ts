import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { ProgressListener } from '../measure/ports.ts';
import { exitCodes, Fault } from '../model/fault.ts';
import type { Outcome } from '../model/verdict.ts';
import { type CheckMode, type CheckResult, check } from './check.ts';
import { Interrupted } from './interrupts.ts';
import type { Settings } from './settings.ts';

/** What the command line needs of its process. */
export interface Terminal {
  readonly onProgress: ProgressListener;
  showResult(result: CheckResult): void;
  showFault(fault: Fault): void;
  /** Something that ends the command and is not a fault of ours or theirs, such as Ctrl-C. */
  showEnd(text: string): void;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

export interface ProgramContext {
  readonly settings: Settings;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/** Runs one command line and answers with the process's exit code. */
export async function runProgram(args: readonly string[], context: ProgramContext): Promise<number> {
  const { terminal } = context;
  let exitCode: number = exitCodes.pass;
  const program = buildProgram(context, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.pass : exitCodes.usage;
    if (error instanceof Interrupted) {
      terminal.showEnd(`${error.message}; nothing was judged`);
      return error.exitCode;
    }
    if (error instanceof Fault) {
      terminal.showFault(error);
      return error.details.kind === 'usage' ? exitCodes.usage : exitCodes.notMeasured;
    }
    throw error;
  }
}

interface MeasureFlags {
  readonly config: string;
  readonly suite: string;
  readonly vuFactor: number;
}

function buildProgram(context: ProgramContext, exit: (code: number) => void): Command {
  const { settings, terminal, signal } = context;
  const program = new Command('gate')
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    .description('Measures a service under load and says whether it became slower, less able or less correct.');

  const measure = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .option('--config <file>', 'the configuration', 'perf/gate.yml')
      .option('--suite <name>', 'which suite of it to run', 'pr')
      .option('--vu-factor <number>', 'multiplies the virtual users of every cell', positiveNumber, 1);

  const perform = async (flags: MeasureFlags, mode: CheckMode): Promise<CheckResult> => {
    const result = await check(
      { configPath: flags.config, suite: flags.suite, vuFactor: flags.vuFactor, mode },
      settings,
      terminal.onProgress,
      signal,
    );
    terminal.showResult(result);
    return result;
  };

  measure('check', 'measure this checkout and judge it against the stored baseline')
    .addOption(
      new Option('--compare <how>', 'stored: against the stored baseline; none: measure only')
        .choices(['stored', 'none'])
        .default('stored'),
    )
    .addOption(
      new Option('--inconclusive <how>', 'what a check that could not see the tolerance ends with')
        .choices(['pass', 'fail'])
        .default('pass'),
    )
    .action(async (flags: MeasureFlags & { compare: 'stored' | 'none'; inconclusive: 'pass' | 'fail' }) => {
      const { verdict } = await perform(flags, flags.compare === 'none' ? 'measure' : 'check');
      exit(exitCodeOf(verdict.outcome, flags.inconclusive));
    });

  measure('baseline', 'measure this checkout and add it to the stored baseline').action(
    async (flags: MeasureFlags) => {
      const { verdict } = await perform(flags, 'record');
      // The run is stored whatever it compares to: what main does is what pull requests are held to.
      exit(verdict.outcome === 'invalid' ? exitCodes.notMeasured : exitCodes.pass);
    },
  );
  return program;
}

export function exitCodeOf(outcome: Outcome, inconclusive: 'pass' | 'fail'): number {
  switch (outcome) {
    case 'pass':
      return exitCodes.pass;
    case 'regression':
      return exitCodes.regression;
    case 'inconclusive':
      return inconclusive === 'pass' ? exitCodes.pass : exitCodes.regression;
    case 'invalid':
      return exitCodes.notMeasured;
  }
}

function positiveNumber(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0 && value <= 100) return value;
  throw new InvalidArgumentError('expected a number above 0 and at most 100');
}
