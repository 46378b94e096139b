import { join } from 'node:path';
import { Git, type GitEnv } from '../adapters/git/index.ts';
import { Leftovers, Secrets } from '../adapters/host/index.ts';
import type { Workspace } from './workspace.ts';

/** Twice the time that writing the work tree of a large repository takes; a remote answers sooner. */
const withinMs = 120_000;

/** Runs git in a folder of the checkout, with the environment that the commands of gate.yml get. */
export function gitIn(directory: string, env: GitEnv, signal: AbortSignal, leftovers?: Leftovers): Git {
  const secrets = new Secrets();
  secrets.addFrom(env);
  return new Git({ directory, env, secrets, signal, withinMs, leftovers });
}

/** What git leaves behind if the gate is killed. */
export interface GitLeftovers {
  readonly commands: Leftovers;
  /** A repository of its own, in which a baseline branch is read and written. */
  readonly scratchDirectory: string;
}

export function gitLeftovers({ workDirectory }: Workspace): GitLeftovers {
  return {
    commands: new Leftovers(join(workDirectory, 'git-commands.json')),
    scratchDirectory: join(workDirectory, 'branch'),
  };
}
