import { dirname, resolve } from 'node:path';
import { Option } from 'commander';
import { loadConfig, withTolerances } from '../../../adapters/config/index.ts';
import {
  fewestRunsForTolerances,
  haveOneLoad,
  noiseByLoad,
  type RecordedRun,
  recordedOf,
  unchangedChecks,
  unchangedRuns,
} from '../../../detection/index.ts';
import { planSuite } from '../../../measure/index.ts';
import type { UnchangedChecks } from '../../../model/calibration.ts';
import { Fault } from '../../../model/fault.ts';
import type { InvalidReason } from '../../../model/run.ts';
import { calibrationReport, unchangedReport } from '../../../report/index.ts';
import { gitIn } from '../../checkout-git.ts';
import { runCheck } from '../../run-check.ts';
import type { Settings } from '../../settings.ts';
import { uncommittedFile } from '../../uncommitted-file.ts';
import { besideNeighbour } from '../beside-neighbour.ts';
import type { CommandContext, CreateCommand } from '../command.ts';
import { addRecorded, readRecorded, readRecordedIfAny } from '../detection-input.ts';
import { editConfig } from '../edit-config.ts';
import { checkRequest, type MeasuringFlags, measuringCommand, settingsOf } from '../measuring-command.ts';
import { wholeNumber } from '../option-values.ts';

interface CalibrateFlags extends MeasuringFlags {
  readonly runs: number;
  readonly neighbour?: true;
  readonly sideBySide?: true;
  readonly rows?: string;
  readonly from?: string;
  readonly write?: true;
}

export const command: CreateCommand = (context) =>
  measuringCommand(
    'calibrate',
    'measure this checkout several times, and split its noise into blocks, boots and runs',
  )
    .option('--runs <number>', 'how many times', wholeNumber(1000), 5)
    .addOption(
      new Option(
        '--side-by-side',
        'interleave the checkout with its own commit in every run, for rows of pairs',
      ).conflicts('write'),
    )
    .option('--rounds <number>', 'blocks of each cell (default: as configured)', wholeNumber(1000))
    .option('--neighbour', 'measure next to a program that takes a core in bursts, half of the time')
    .option(
      '--rows <folder>',
      'add the runs to the rows in this folder, as `gate bench detection` reads them',
    )
    .addOption(
      new Option('--from <folder>', 'measure nothing, and read runs from the rows in this folder').conflicts([
        'runs',
        'rounds',
        'neighbour',
        'sideBySide',
        'rows',
      ]),
    )
    .option('--write', 'put the smallest tolerances that the runs support into the configuration')
    .action(async (flags: CalibrateFlags) => {
      const { settings, terminal } = context;
      const { config } = loadConfig(resolve(settings.workingDirectory, flags.config));
      const judging = { config, plan: planSuite(config, flags.suite, flags.config) };
      if (flags.write && flags.from === undefined && flags.runs < fewestRunsForTolerances) {
        throw fewRuns(flags.config);
      }
      const recorded =
        flags.from === undefined
          ? await measureSeveral(flags, context)
          : readRecorded(resolve(settings.workingDirectory, flags.from));
      const noise = noiseByLoad(flags.sideBySide ? heads(recorded) : unchangedRuns(recorded));
      if (noise.length === 0) terminal.print('none of the runs is of unchanged code, measured alone\n');
      terminal.print(noise.map((one) => calibrationReport(one, terminal.paintOut)).join('\n'));
      if (flags.sideBySide) return;
      const checks = unchangedChecks([...recorded, ...pairsLike(recorded, flags, settings)], judging);
      terminal.print(unchangedReport(checks));
      if (flags.write) terminal.print(writeTolerances(flags, checks, settings.workingDirectory));
    });

const heads = (recorded: readonly RecordedRun[]) => recorded.filter(({ placement }) => placement === 'head');

/** Pairs of the same load in the folder that rows are added to, which can confirm what looks worse. */
function pairsLike(
  recorded: readonly RecordedRun[],
  { rows }: CalibrateFlags,
  { workingDirectory }: Settings,
): readonly RecordedRun[] {
  if (rows === undefined) return [];
  return readRecordedIfAny(resolve(workingDirectory, rows)).filter(
    (one) => one.placement !== 'stored' && haveOneLoad(one, recorded[0]),
  );
}

function writeTolerances(
  { config }: CalibrateFlags,
  { tolerances }: UnchangedChecks,
  workingDirectory: string,
): string {
  const supported = tolerances.flatMap(({ metric, tolerance }) =>
    tolerance === undefined ? [] : [[metric, tolerance] as const],
  );
  if (tolerances.length === 0 || !tolerances.every(({ isSure }) => isSure)) throw fewRuns(config);
  if (supported.length === 0) {
    throw new Fault({
      code: 'E_CALIBRATE_NOISE',
      kind: 'measurement',
      place: config,
      cause: 'fewer than 95% of the checks of unchanged code pass, even with the widest tolerances',
      nextStep: 'record runs on a quieter machine or with more rounds, or set `tolerances` yourself',
    });
  }
  const shares = Object.fromEntries(supported);
  return editConfig({ workingDirectory, config }, 'these tolerances', (text) => withTolerances(text, shares));
}

function fewRuns(config: string): Fault {
  return new Fault({
    code: 'E_CALIBRATE_FEW',
    kind: 'usage',
    place: config,
    cause: `finding a tolerance with which 95% of the checks pass takes ${fewestRunsForTolerances} judged runs`,
    nextStep: 'record as many with `--rows`, read them all with `--from`, or set `tolerances` yourself',
  });
}

/** Refuses a changed checkout, whose pairs would count as unchanged code. */
async function requireOneCommit(
  { config }: CalibrateFlags,
  { root, env, workingDirectory }: Settings,
  rows: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const folders = rows === undefined ? [] : [rows];
  const directory = dirname(resolve(workingDirectory, config));
  const changed = await uncommittedFile(gitIn(root, env, signal), root, directory, folders);
  if (changed === undefined) return;
  throw new Fault({
    code: 'E_CALIBRATE_DIRTY',
    kind: 'usage',
    place: changed,
    cause: 'this file is new or differs from HEAD, and both sides of a pair have to be the same code',
    nextStep: 'commit the change, or undo it',
  });
}

/** Rows are added after each, so that an interrupted calibration keeps what it has. */
async function measureSeveral(
  flags: CalibrateFlags,
  { settings, terminal: { onProgress }, signal }: CommandContext,
): Promise<readonly RecordedRun[]> {
  const own = settingsOf(flags, settings);
  const request = checkRequest(
    flags.sideBySide ? { ...flags, baseRef: 'HEAD' } : flags,
    flags.sideBySide ? 'side-by-side' : 'none',
  );
  const beside = flags.neighbour ? besideNeighbour : async <T>(work: () => Promise<T>) => work();
  const folder = flags.rows === undefined ? undefined : resolve(own.workingDirectory, flags.rows);
  // Rows that cannot be read are found now, and not after minutes of measuring.
  if (folder !== undefined) readRecordedIfAny(folder);
  if (flags.sideBySide) await requireOneCommit(flags, own, folder, signal);
  const measured: RecordedRun[] = [];
  let unusable: InvalidReason | undefined;
  for (let one = 1; one <= flags.runs; one++) {
    onProgress({ kind: 'note', text: `run ${one} of ${flags.runs}` });
    const { measured: both, cutShort } = await beside(() => runCheck(request, own, onProgress, signal));
    // Rows of a part would count as those of a whole load.
    if (cutShort !== undefined) throw cutShort.cause;
    const recorded = recordedOf(both, flags.neighbour ? { regime: 'neighbour' } : {});
    const [reason] = recorded.flatMap(({ run }) => run.invalid);
    if (reason !== undefined) {
      unusable = reason;
      onProgress({ kind: 'note', text: `run ${one} is left out: ${reason.cause}` });
      continue;
    }
    measured.push(...recorded);
    if (folder !== undefined) await addRecorded(folder, recorded);
  }
  if (measured.length === 0 && unusable !== undefined) {
    throw new Fault({
      code: 'E_CALIBRATE_INVALID',
      kind: 'measurement',
      place: flags.config,
      cause: `none of the runs could be used (${flags.runs} measured): ${unusable.cause}`,
      nextStep: unusable.nextStep,
    });
  }
  return measured;
}
