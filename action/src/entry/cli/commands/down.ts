import { Command } from 'commander';
import { createSystemClock } from '../../../adapters/host/index.ts';
import { endKeeper } from '../../kept-stack.ts';
import type { CreateCommand } from '../command.ts';
import { settingsOf } from '../measuring-command.ts';

export const command: CreateCommand = (context) =>
  new Command('down')
    .description('end what `gate up` keeps running in this checkout')
    .option('--config <file>', 'configuration file', 'perf/gate.yml')
    .action(async (flags: { readonly config: string }) => {
      const settings = settingsOf(flags, context.settings);
      const ended = await endKeeper(settings, createSystemClock(), context.signal);
      context.terminal.print(ended ? 'stopped\n' : 'nothing is running here\n');
    });
