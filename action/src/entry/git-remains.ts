import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Leftovers, writeFault } from '../adapters/host/index.ts';
import type { Workspace } from './workspace.ts';

/** What stays of git where the gate is killed outright. */
export interface GitRemains {
  /** Commands that run. */
  readonly commands: Leftovers;
  /** Where a branch is read and written, in a repository apart from the checkout's. */
  readonly scratchDirectory: string;
}

export function gitRemains({ workDirectory }: Workspace): GitRemains {
  return {
    commands: new Leftovers(join(workDirectory, 'git-commands.json')),
    scratchDirectory: join(workDirectory, 'branch'),
  };
}

/** Ends and removes what an earlier check left, and says what of it still ran. */
export function endGit({ commands, scratchDirectory }: GitRemains): readonly string[] {
  const left = commands.kill();
  try {
    // A command may write until it is gone.
    rmSync(scratchDirectory, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    throw writeFault(error, scratchDirectory, 'E_RESULTS_WRITE');
  }
  return left;
}
