import { Git, type GitEnv } from '../adapters/git/index.ts';
import { type Leftovers, Secrets } from '../adapters/host/index.ts';

/** A work tree of a large repository is written in half of this; a remote that answers is done sooner. */
const withinMs = 120_000;

/** git in a folder of the checkout, with the environment that the commands of gate.yml get. */
export function gitIn(directory: string, env: GitEnv, signal: AbortSignal, leftovers?: Leftovers): Git {
  const secrets = new Secrets();
  secrets.addFrom(env);
  return new Git({ directory, env, secrets, signal, withinMs, leftovers });
}
