import { removeIfAbandoned } from '../../adapters/host/index.ts';
import { baseCheckouts, endLeftovers } from '../leftovers.ts';
import { openWorkspace } from '../workspace.ts';
import type { ActionState } from './state.ts';

/**
 * Ends whatever a check left running on either of its sides, and describes what that was. May be called at any time and
 * more than once. Throws a Fault if something may still be running.
 */
export async function tearDown(
  { root, stack }: Pick<ActionState, 'root' | 'stack'>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const workspace = openWorkspace(root, '');
  const checkouts = stack === 'compose' ? [root, ...baseCheckouts(workspace)] : [];
  try {
    return await endLeftovers(workspace, checkouts, env);
  } finally {
    // The next check may run under another host name, and could not see that the lock's holder is gone.
    await removeIfAbandoned(workspace.lockFile);
  }
}
