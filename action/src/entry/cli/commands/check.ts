import { Option } from 'commander';
import { comparisons } from '../../../model/check-mode.ts';
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

interface CheckFlags extends MeasuringFlags {
  readonly compare: (typeof comparisons)[number];
  readonly failOn: FailOn;
}

export const command: CreateCommand = (context) =>
  measuringCommand('check', 'measure this checkout and compare it with the baseline')
    .addOption(
      new Option(
        '--compare <how>',
        'auto: with the stored baseline, then re-measure suspect cells against the base commit; stored: with the stored baseline only; side-by-side: with the base commit; none: only measure',
      )
        .choices(comparisons)
        .default('auto'),
    )
    .option(...liveOption)
    .option('--base-ref <commit>', 'base commit, branch or tag to measure against')
    .addOption(failOnOption())
    .action(async (flags: CheckFlags) => {
      const { verdict } = await checkAndReport(flags, flags.compare, context);
      context.exit(exitCodeOf(verdict, flags.failOn));
    });
