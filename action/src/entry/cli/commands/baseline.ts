import { exitCodes } from '../../../model/fault.ts';
import { exitCodeOfMeasuring } from '../../exit-code.ts';
import { baselineCommands } from '../baseline-commands.ts';
import type { CreateCommand } from '../command.ts';
import { checkAndReport, liveOption, type MeasuringFlags, measuringCommand } from '../measuring-command.ts';

export const command: CreateCommand = (context) => {
  const baseline = measuringCommand('baseline', 'measure this checkout and add the run to the baseline')
    .option(...liveOption)
    .action(async (flags: MeasuringFlags) => {
      // A valid run is stored even if it is slower: later checks compare with what this checkout does.
      const { stored, verdict } = await checkAndReport(flags, 'record', context);
      const failed = exitCodeOfMeasuring(verdict) || exitCodes.notMeasured;
      context.exit(stored ? exitCodes.pass : failed);
    });
  for (const subcommand of baselineCommands(context)) baseline.addCommand(subcommand);
  return baseline;
};
