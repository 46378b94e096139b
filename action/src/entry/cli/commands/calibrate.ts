import { resolve } from 'node:path';
import { Option } from 'commander';
import {
  noiseOfRuns,
  type RecordedRun,
  type Regime,
  regimes,
  unchangedRuns,
} from '../../../detection/index.ts';
import type { Run } from '../../../model/run.ts';
import { calibrationReport } from '../../../report/index.ts';
import { runCheck } from '../../run-check.ts';
import type { CommandContext, CreateCommand } from '../command.ts';
import { addRecorded, readRecorded } from '../detection-input.ts';
import { checkRequest, type MeasuringFlags, measuringCommand, settingsOf } from '../measuring-command.ts';
import { wholeNumber } from '../option-values.ts';

interface CalibrateFlags extends MeasuringFlags {
  readonly runs: number;
  readonly regime: Regime;
  readonly beside?: true;
  readonly rows?: string;
  readonly from?: string;
}

export const command: CreateCommand = (context) =>
  measuringCommand(
    'calibrate',
    'measure this checkout several times, and split its noise into blocks, boots and hours',
  )
    .option('--runs <number>', 'how many times', wholeNumber(1000), 5)
    .option('--beside', 'measure it interleaved with itself each time, which shows no hours')
    .addOption(
      new Option('--regime <name>', 'what the machine does meanwhile, for the rows')
        .choices(regimes)
        .default('quiet'),
    )
    .option(
      '--rows <folder>',
      'add the runs to the rows in this folder, as `gate bench detection` reads them',
    )
    .addOption(
      new Option('--from <folder>', 'measure nothing, and read runs from the rows in this folder').conflicts([
        'runs',
        'beside',
        'regime',
        'rows',
      ]),
    )
    .action(async (flags: CalibrateFlags) => {
      const { settings, terminal } = context;
      const runs =
        flags.from === undefined
          ? await measureSeveral(flags, context)
          : unchangedRuns(readRecorded(resolve(settings.workingDirectory, flags.from))).map(({ run }) => run);
      terminal.print(calibrationReport(noiseOfRuns(runs), terminal.paintOut));
    });

/** The head of every run. Rows are added after each, so that an interrupted calibration keeps what it has. */
async function measureSeveral(
  flags: CalibrateFlags,
  { settings, terminal: { onProgress }, signal }: CommandContext,
): Promise<readonly Run[]> {
  const own = settingsOf(flags, settings);
  const request = checkRequest(
    flags.beside ? { ...flags, baseRef: 'HEAD' } : flags,
    flags.beside ? 'side-by-side' : 'none',
  );
  const measured: Run[] = [];
  for (let one = 1; one <= flags.runs; one++) {
    onProgress({ kind: 'note', text: `run ${one} of ${flags.runs}` });
    const { measured: both } = await runCheck(request, own, onProgress, signal);
    measured.push(both.run);
    if (flags.rows !== undefined) {
      await addRecorded(resolve(settings.workingDirectory, flags.rows), recordedOf(both, flags));
    }
  }
  return measured;
}

function recordedOf(
  { run, base }: { readonly run: Run; readonly base?: Run },
  { regime }: CalibrateFlags,
): readonly RecordedRun[] {
  const unchanged = { regime, change: '' };
  if (base === undefined) return [{ ...unchanged, placement: 'stored', pair: '', run }];
  return [
    { ...unchanged, placement: 'base', pair: run.id, run: base },
    { ...unchanged, placement: 'head', pair: run.id, run },
  ];
}
