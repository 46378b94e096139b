import { Command } from 'commander';
import type { CreateCommand } from '../command.ts';

export const command: CreateCommand = (context) =>
  new Command('version').description('print the version of Node that runs the gate').action(() => {
    context.terminal.print(`${process.version}\n`);
  });
