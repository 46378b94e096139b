import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { loadConfig, withAddedWaivers } from '../../../adapters/config/index.ts';
import { acceptableRows } from '../../acceptable-rows.ts';
import { findResult, unknownResult } from '../../kept-results.ts';
import type { CreateCommand } from '../command.ts';
import { settingsOf } from '../measuring-command.ts';

interface AcceptFlags {
  readonly config: string;
  readonly run?: string;
  readonly until: string;
}

const daysAccepted = 30;

export const command: CreateCommand = ({ settings: given, terminal }) =>
  new Command('accept')
    .description('accept what regressed in a check, for a time: adds waivers to the configuration')
    .argument('<reason>', 'why; reports quote it')
    .option('--config <file>', 'configuration file', 'perf/gate.yml')
    .option('--run <run>', 'id or folder of the check (default: the newest one of this checkout)')
    .option('--until <day>', 'last day, such as 2026-01-31', day, inDays(daysAccepted))
    .action(async (reason: string, flags: AcceptFlags) => {
      const settings = settingsOf(flags, given);
      const found = await findResult(settings, flags.run);
      if (found === undefined) throw unknownResult(settings, flags.run);
      const { verdict } = found.record;
      const rows = acceptableRows(verdict);
      const path = resolve(settings.workingDirectory, flags.config);
      // A broken file gives its own message, and stays as it is.
      loadConfig(path);
      const waivers = rows.map((row) => ({ ...row, until: flags.until, reason }));
      writeFileSync(path, withAddedWaivers(readFileSync(path, 'utf8'), waivers, flags.config));
      const names = rows.map(({ cell, metric }) => `  ${metric} in ${cell}\n`).join('');
      terminal.print(
        `accepted until ${flags.until}, in ${flags.config}:\n${names}On GitHub, the waivers of the default branch count.\n`,
      );
    });

function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}

function day(text: string): string {
  const time = Date.parse(`${text}T00:00:00Z`);
  const isDay = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
  if (!isDay || text.length !== 10) throw new InvalidArgumentError('expected a day such as 2026-01-31');
  if (text < inDays(0)) throw new InvalidArgumentError('expected today or a later day');
  return text;
}
