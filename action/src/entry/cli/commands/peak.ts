import { Argument } from 'commander';
import type { FailOn } from '../../../model/fail-on.ts';
import { exitCodeOf } from '../../exit-code.ts';
import type { CreateCommand } from '../command.ts';
import {
  checkAndReport,
  failOnOption,
  liveOption,
  type MeasuringFlags,
  measuringCommand,
} from '../measuring-command.ts';
import { numberBetween } from '../option-values.ts';

interface PeakFlags extends MeasuringFlags {
  readonly failOn: FailOn;
}

/** Fewer minutes than this show no peak; more than the most are a soak. */
const minutes = { least: 1, most: 300 };

export const command: CreateCommand = (context) =>
  measuringCommand(
    'peak',
    'load each scenario at its peak for long, and judge it by its objectives and by stored peak runs',
    'peak',
  )
    .addArgument(new Argument('[scenario...]', 'scenarios or cells of the suite (default: all)'))
    .option(
      '--minutes <number>',
      'minutes to count for each scenario (default: as configured)',
      numberBetween(minutes.least, minutes.most),
    )
    .option(...liveOption)
    .addOption(failOnOption())
    .action(async (scenarios: readonly string[], flags: PeakFlags) => {
      const { verdict } = await checkAndReport({ ...flags, scenarios }, 'stored', context);
      context.exit(exitCodeOf(verdict, flags.failOn));
    });
