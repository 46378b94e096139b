import { dirname, resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { writeReports } from '../../adapters/results/index.ts';
import { type CheckMode, comparisons } from '../../model/check-mode.ts';
import { type BaselineStoreKind, baselineStoreKinds, type StackKind } from '../../model/config.ts';
import { type FailOn, failOnSchema } from '../../model/fail-on.ts';
import { checkFiles, checkText } from '../check-report.ts';
import { writeOutputs } from '../outputs.ts';
import { type CheckRequest, type FinishedCheck, runCheck } from '../run-check.ts';
import { type Settings, settingsFor } from '../settings.ts';
import type { CommandContext } from './command.ts';
import { positiveNumber } from './option-values.ts';
import { nextStepsOf } from './page-command.ts';

export interface MeasuringFlags {
  readonly config: string;
  readonly suite: string;
  readonly vuFactor: number;
  readonly stack?: StackKind;
  readonly baseRef?: string;
  readonly baselineStore?: BaselineStoreKind;
  readonly live?: true;
  /** Counted minutes of each cell. */
  readonly minutes?: number;
  /** Blocks of each cell. */
  readonly rounds?: number;
  /** Scenarios or cells of the suite to measure. */
  readonly scenarios?: readonly string[];
}

/** For the commands that write to outputs. */
export const liveOption = [
  '--live',
  'write the figures of each second to the outputs while it measures',
] as const;

/** For the commands that judge. */
export function compareOption(usually: (typeof comparisons)[number]): Option {
  return new Option(
    '--compare <with>',
    'auto: with stored runs, and with the base commit if something looks worse; stored: stored runs only; side-by-side: base commit only; none: only measure',
  )
    .choices(comparisons)
    .default(usually);
}

export const baseRefOption = [
  '--base-ref <commit>',
  'base commit, branch or tag to measure against',
] as const;

/** What fails a check by default: everything that leaves the question open, or answers it with a regression. */
const usual = 'regression,invalid,noise,undecided';

function failOn(text: string): FailOn {
  const { data, error } = failOnSchema.safeParse(text);
  if (data === undefined)
    throw new InvalidArgumentError(error.issues.map(({ message }) => message).join('; '));
  return data;
}

export function failOnOption(): Option {
  return new Option(
    '--fail-on <outcomes>',
    'what fails the check: never, or a list of regression, invalid, noise, undecided, coarse, not-compared',
  )
    .argParser(failOn)
    .default(failOn(usual), usual);
}

/** A command with the options that all measuring commands share. */
export function measuringCommand(name: string, description: string, suite = 'pr'): Command {
  return new Command(name)
    .description(description)
    .option('--config <file>', 'configuration file', 'perf/gate.yml')
    .option('--suite <name>', 'suite of the configuration to run', suite)
    .option('--vu-factor <number>', 'multiply the virtual users of every cell', positiveNumber(100), 1)
    .addOption(
      new Option(
        '--stack <kind>',
        'run the service as plain processes or in containers (default: compose on CI, else process)',
      ).choices(['process', 'compose']),
    )
    .addOption(
      new Option(
        '--baseline-store <kind>',
        'baseline on this machine (file) or on the branch that the Action writes (default: as configured)',
      ).choices(baselineStoreKinds),
    );
}

export function checkRequest(flags: MeasuringFlags, mode: CheckMode): CheckRequest {
  return {
    configPath: flags.config,
    suite: flags.suite,
    mode,
    baseRef: flags.baseRef,
    vuFactor: flags.vuFactor,
    live: flags.live ?? false,
    overrides: { minutes: flags.minutes, rounds: flags.rounds, scenarios: flags.scenarios },
    stack: flags.stack,
    baseline: {
      ...(flags.baselineStore === undefined ? {} : { store: flags.baselineStore }),
      // Only the Action can prove which event started it, so the command line writes no shared store.
      mayWrite: ['file'],
    },
  };
}

/** The settings for the checkout that holds the configuration. */
export function settingsOf({ config }: Pick<MeasuringFlags, 'config'>, settings: Settings): Settings {
  return settingsFor(dirname(resolve(settings.workingDirectory, config)), settings);
}

/**
 * Checks, prints the verdict, writes the reports and fills the outputs. Throws at the end if the measurement ended before
 * its time, or if the run could not be stored.
 */
export async function checkAndReport(
  flags: MeasuringFlags,
  mode: CheckMode,
  { settings, terminal, signal }: CommandContext,
  commands: Parameters<typeof nextStepsOf>[3] = {},
): Promise<FinishedCheck> {
  const result = await runCheck(
    checkRequest(flags, mode),
    settingsOf(flags, settings),
    terminal.onProgress,
    signal,
  );
  const next = nextStepsOf({ settings }, flags.config, flags, commands);
  await writeReports(resolve(settings.workingDirectory, result.resultDirectory), checkFiles(result, next));
  terminal.print(checkText(result, next, terminal));
  const note = (text: string) => terminal.onProgress({ kind: 'note', text });
  const warn = (text: string) => note(`warning: ${text}`);
  await writeOutputs(result.outputs, result.record, { note, warn }, signal);
  if (result.cutShort !== undefined) throw result.cutShort.cause;
  if (result.notStored !== undefined) throw result.notStored;
  return result;
}
