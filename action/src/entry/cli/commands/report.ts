import { relative } from 'node:path';
import { findResult, unknownResult } from '../../kept-results.ts';
import type { CreateCommand } from '../command.ts';
import { settingsOf } from '../measuring-command.ts';
import { type PageFlags, pageCommand, showRecord } from '../page-command.ts';

export const command: CreateCommand = (context) =>
  pageCommand('report', 'show a finished check again, in the terminal and as a page')
    .argument('[run]', 'id or folder of the check (default: the newest one of this checkout)')
    .action(async (run: string | undefined, flags: PageFlags) => {
      const settings = settingsOf(flags, context.settings);
      const found = await findResult(settings, run);
      if (found === undefined) throw unknownResult(settings, run);
      const resultDirectory = relative(settings.workingDirectory, found.directory);
      await showRecord({ record: found.record, resultDirectory }, flags, context);
    });
