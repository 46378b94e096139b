import type { Command } from 'commander';
import type { Terminal } from '../../adapters/host/index.ts';
import type { Settings } from '../settings.ts';

export interface CommandContext {
  readonly settings: Settings;
  readonly terminal: Pick<
    Terminal,
    'width' | 'paintOut' | 'paintError' | 'onProgress' | 'print' | 'printError'
  >;
  readonly signal: AbortSignal;
  /** Sets the exit code of the process. */
  readonly exit: (code: number) => void;
}

/** What each module in `commands/` exports as `command`, and `commands.ts` lists. */
export type CreateCommand = (context: CommandContext) => Command;
