import { Argument, Option } from 'commander';
import type { comparisons } from '../../../model/check-mode.ts';
import type { FailOn } from '../../../model/fail-on.ts';
import { exitCodeOf } from '../../exit-code.ts';
import type { CreateCommand } from '../command.ts';
import {
  baseRefOption,
  checkAndReport,
  compareOption,
  failOnOption,
  liveOption,
  type MeasuringFlags,
  measuringCommand,
} from '../measuring-command.ts';
import { numberBetween } from '../option-values.ts';
import { commandAgain } from '../page-command.ts';

interface PeakFlags extends MeasuringFlags {
  readonly compare: (typeof comparisons)[number];
  readonly record?: true;
  readonly failOn: FailOn;
}

const suite = 'peak';
/** Fewer minutes than this show no peak; more than the most are a soak. */
const minutes = { least: 1, most: 300 };

export const command: CreateCommand = (context) =>
  measuringCommand(
    'peak',
    'load each scenario at its peak for long, and judge it by its objectives and by stored peak runs',
    suite,
  )
    .addArgument(new Argument('[scenario...]', 'scenarios or cells of the suite (default: all)'))
    .option(
      '--minutes <number>',
      'minutes to count for each scenario (default: as configured)',
      numberBetween(minutes.least, minutes.most),
    )
    .addOption(compareOption('stored'))
    .addOption(
      new Option('--record', 'compare with stored runs, and add this one to them').conflicts('compare'),
    )
    .option(...liveOption)
    .option(...baseRefOption)
    .addOption(failOnOption())
    .action(async (scenarios: readonly string[], flags: PeakFlags) => {
      const again = [
        commandAgain(['peak', ...scenarios].join(' '), flags, suite),
        ...(flags.minutes === undefined ? [] : ['--minutes', flags.minutes]),
      ].join(' ');
      const { verdict } = await checkAndReport(
        { ...flags, scenarios },
        flags.record ? 'record' : flags.compare,
        context,
        { check: again, record: `${again} --record` },
      );
      context.exit(exitCodeOf(verdict, flags.failOn));
    });
