import { removeIfAbandoned } from '../../adapters/host/index.ts';
import { endGit, gitRemains } from '../git-remains.ts';
import { baseCheckouts, endProcesses, removeContainers } from '../stack-remains.ts';
import { openWorkspace } from '../workspace.ts';
import type { ActionState } from './state.ts';

/**
 * Ends whatever a check left running, on both of its sides, and says what that was. May be called at any time, more
 * than once. Throws a Fault if something may be left.
 */
export async function tearDown(
  { root, stack }: Pick<ActionState, 'root' | 'stack'>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const workspace = openWorkspace(root, '');
  const left = [...endProcesses(workspace)];
  // The next check may run under another host name, and would not see that nobody holds it any more.
  await removeIfAbandoned(workspace.lockFile);
  if (stack === 'compose') {
    left.push(...(await removeContainers(workspace, [root, ...baseCheckouts(workspace)], env)));
  }
  return [...left, ...endGit(gitRemains(workspace))];
}
