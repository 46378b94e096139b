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

interface CheckFlags extends MeasuringFlags {
  readonly compare: (typeof comparisons)[number];
  readonly failOn: FailOn;
}

export const command: CreateCommand = (context) =>
  measuringCommand('check', 'measure this checkout and compare it with the baseline')
    .addOption(compareOption('auto'))
    .option(...liveOption)
    .option(...baseRefOption)
    .addOption(failOnOption())
    .action(async (flags: CheckFlags) => {
      const { verdict } = await checkAndReport(flags, flags.compare, context);
      context.exit(exitCodeOf(verdict, flags.failOn));
    });
