import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DockerCli, DockerMissing } from '../adapters/compose-cli.ts';
import { projectName, remainsOf, removeProject } from '../adapters/compose-project.ts';
import { removeIfAbandoned } from '../adapters/file-lock.ts';
import { Leftovers } from '../adapters/leftovers.ts';
import type { ActionState } from './action-state.ts';
import { endGit, gitRemains } from './git-remains.ts';
import { ofBase, openWorkspace } from './workspace.ts';

/** Nobody waits for what the containers still have to do. */
const stopWithin = 0;

/**
 * Ends whatever a check left running, on both of its sides, and says what that was. May be called at any time, more
 * than once. Throws a Fault if something may be left.
 */
export async function tearDown(
  { root, stack }: Pick<ActionState, 'root' | 'stack'>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const workspace = openWorkspace(root, '');
  const { lockFile, basesDirectory } = workspace;
  const works = [workspace, ofBase(workspace)].map(({ workDirectory }) => workDirectory);
  const left = works.flatMap((work) => new Leftovers(join(work, 'processes.json')).kill());
  // The next check may run under another host name, and would not see that nobody holds it any more.
  await removeIfAbandoned(lockFile);
  if (stack === 'compose') {
    const bases = existsSync(basesDirectory) ? readdirSync(basesDirectory) : [];
    const checkouts = [root, ...bases.map((name) => join(basesDirectory, name))];
    left.push(...(await removeContainers(checkouts, works, env)));
  }
  return [...left, ...endGit(gitRemains(workspace))];
}

async function removeContainers(
  checkouts: readonly string[],
  works: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const [commands, ...ofOthers] = works.map((work) => new Leftovers(join(work, 'docker-commands.json')));
  if (commands === undefined) throw new Error('there is a side');
  // First, or they would go on making what is removed.
  const left = [commands, ...ofOthers].flatMap((command) => [...command.kill()]);
  const docker = new DockerCli(env, commands);
  try {
    for (const project of checkouts.map(projectName)) {
      const remains = await remainsOf(docker, project);
      if (remains === '') continue;
      await removeProject(docker, project, stopWithin);
      left.push(`${remains} of ${project}`);
    }
  } catch (error) {
    // Then no container was started either.
    if (!(error instanceof DockerMissing)) throw error;
  }
  return left;
}
