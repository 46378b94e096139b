import { dirname, resolve } from 'node:path';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { Terminal } from '../../adapters/host/index.ts';
import { writeReports } from '../../adapters/results/index.ts';
import { initText } from '../../init/index.ts';
import type { CheckMode } from '../../model/check-mode.ts';
import type { BaselineStoreKind, StackKind } from '../../model/config.ts';
import { exitCodes, Fault, type FaultDetails } from '../../model/fault.ts';
import { benchReport, defectText, faultText } from '../../report/index.ts';
import { exitCodeOf } from '../exit-code.ts';
import { gateCommand } from '../gate-command.ts';
import { Interrupted } from '../interrupts.ts';
import { type CheckRequest, type FinishedCheck, runCheck } from '../run-check.ts';
import { type Settings, settingsFor } from '../settings.ts';
import { bench } from './bench.ts';
import { checkFiles, checkText } from './check-text.ts';
import { init, typedPath } from './init.ts';

export interface ProgramContext {
  readonly settings: Settings;
  readonly terminal: Pick<
    Terminal,
    'width' | 'paintOut' | 'paintError' | 'onProgress' | 'print' | 'printError'
  >;
  readonly signal: AbortSignal;
}

/** Runs one command line and answers with the process's exit code. */
export async function runProgram(args: readonly string[], context: ProgramContext): Promise<number> {
  const { terminal, settings } = context;
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
      terminal.printError(`${error.message}; nothing was judged\n`);
      return error.exitCode;
    }
    if (error instanceof Fault) {
      terminal.printError(faultText(fromHere(error.details, settings.workingDirectory), terminal.paintError));
      return error.details.kind === 'usage' ? exitCodes.usage : exitCodes.notMeasured;
    }
    terminal.printError(defectText(error, terminal.paintError));
    return exitCodes.notMeasured;
  }
}

interface MeasureFlags {
  readonly config: string;
  readonly suite: string;
  readonly vuFactor: number;
  readonly stack?: StackKind;
  readonly baseRef?: string;
  readonly baselineStore?: BaselineStoreKind;
}

interface CheckFlags extends MeasureFlags {
  readonly compare: 'auto' | 'stored' | 'side-by-side' | 'none';
  readonly inconclusive: 'pass' | 'fail';
}

function requestOf(flags: MeasureFlags, mode: CheckMode): CheckRequest {
  return {
    ...(flags.baseRef === undefined ? {} : { baseRef: flags.baseRef }),
    configPath: flags.config,
    suite: flags.suite,
    vuFactor: flags.vuFactor,
    stack: flags.stack,
    baseline: {
      ...(flags.baselineStore === undefined ? {} : { store: flags.baselineStore }),
      // Nobody vouches for the event here; the Action does for its own.
      mayWrite: ['file'],
    },
    mode,
  };
}

function buildProgram(context: ProgramContext, exit: (code: number) => void): Command {
  const { settings, terminal, signal } = context;
  const program = new Command('gate')
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({ writeOut: terminal.print, writeErr: terminal.printError })
    .description(
      'Measures a service under load and says whether it became slower, of lower throughput or less correct.',
    );

  const measure = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .option('--config <file>', 'the configuration', 'perf/gate.yml')
      .option('--suite <name>', 'which suite of it to run', 'pr')
      .option('--vu-factor <number>', 'multiplies the virtual users of every cell', positiveNumber, 1)
      .addOption(
        new Option(
          '--stack <how>',
          'process: plain processes; compose: containers; default: compose on CI, else process',
        ).choices(['process', 'compose']),
      )
      .addOption(
        new Option(
          '--baseline-store <where>',
          'file: on this machine; branch: of the remote, which the Action writes and a check only reads; default: as the configuration says',
        ).choices(['file', 'branch']),
      );

  const own = ({ config }: MeasureFlags) =>
    settingsFor(dirname(resolve(settings.workingDirectory, config)), settings);

  const perform = async (flags: MeasureFlags, mode: CheckMode): Promise<FinishedCheck> => {
    const chosen = own(flags);
    const result = await runCheck(requestOf(flags, mode), chosen, terminal.onProgress, signal);
    const next = {
      command: gateCommand(settings, 'check', flags.config),
      recording: { kind: 'command', command: gateCommand(settings, 'baseline', flags.config) },
      configPath: flags.config,
    } as const;
    await writeReports(resolve(chosen.workingDirectory, result.resultDirectory), checkFiles(result, next));
    terminal.print(checkText(result, next, terminal));
    if (result.notStored !== undefined) throw result.notStored;
    return result;
  };

  measure('check', 'measure this checkout and judge it against the stored baseline')
    .addOption(
      new Option(
        '--compare <how>',
        'auto: against the stored baseline, and what looks worse beside the base commit; stored: against the stored baseline alone; side-by-side: beside the base commit; none: measure only',
      )
        .choices(['auto', 'stored', 'side-by-side', 'none'])
        .default('auto'),
    )
    .option('--base-ref <commit>', 'what side by side measures: a commit, branch or tag')
    .addOption(
      new Option('--inconclusive <how>', 'what a check that could not see the tolerance ends with')
        .choices(['pass', 'fail'])
        .default('pass'),
    )
    .action(async (flags: CheckFlags) => {
      const { verdict } = await perform(flags, flags.compare);
      exit(exitCodeOf(verdict.outcome, flags.inconclusive));
    });

  measure('baseline', 'measure this checkout and add it to the stored baseline').action(
    async (flags: MeasureFlags) => {
      const { stored } = await perform(flags, 'record');
      // A run that can be trusted is stored whatever it compares to: what main does is what pull requests are held to.
      exit(stored ? exitCodes.pass : exitCodes.notMeasured);
    },
  );

  measure('bench', 'print the figures of the measuring itself: cold data, boot, throughput, memory').action(
    async (flags: MeasureFlags) => {
      const figures = await bench(requestOf(flags, 'none'), own(flags), terminal.onProgress, signal);
      terminal.print(benchReport(figures, terminal.paintOut));
      exit(figures.verdict.outcome === 'invalid' ? exitCodes.notMeasured : exitCodes.pass);
    },
  );
  program
    .command('init')
    .description(
      'look at another repository and write the first configuration, scenario and workflows for it',
    )
    .argument('[directory]', 'the top of a git checkout', '.')
    .option('--service <name>', 'which service it is, where there are several')
    .action(async (directory: string, { service }: { readonly service?: string }) => {
      const plan = await init({ directory, ...(service === undefined ? {} : { service }) }, settings, signal);
      const pathOf = (file: string) => typedPath(settings.workingDirectory, directory, file);
      const text = initText(plan, {
        width: terminal.width,
        paint: terminal.paintOut,
        check: gateCommand(settings, 'check', pathOf('perf/gate.yml')),
        pathOf,
      });
      terminal.print(text);
    });
  return program;
}

/** Paths as they are typed from here: shorter to read, and the same on every machine. */
function fromHere(details: FaultDetails, workingDirectory: string): FaultDetails {
  const shorten = (text: string) => text.replaceAll(`${workingDirectory}/`, '');
  return {
    ...details,
    place: shorten(details.place),
    cause: shorten(details.cause),
    nextStep: shorten(details.nextStep),
  };
}

function positiveNumber(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0 && value <= 100) return value;
  throw new InvalidArgumentError('expected a number above 0 and at most 100');
}
