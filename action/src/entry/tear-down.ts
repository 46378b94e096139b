import { join } from 'node:path';
import { DockerCli } from '../adapters/compose-cli.ts';
import { projectName, remainsOf, removeProject } from '../adapters/compose-project.ts';
import { Leftovers } from '../adapters/leftovers.ts';
import type { ActionState } from './action-state.ts';
import { openWorkspace } from './workspace.ts';

/** Ends whatever a check left running, and says what that was. May be called at any time, more than once. */
export async function tearDown(
  { root, stack, stopWithin }: Pick<ActionState, 'root' | 'stack' | 'stopWithin'>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const { workDirectory } = openWorkspace(root, '');
  const left = [...new Leftovers(join(workDirectory, 'processes.json')).kill()];
  if (stack === 'process') return left;
  const commands = new Leftovers(join(workDirectory, 'docker-commands.json'));
  left.push(...commands.kill());
  const docker = new DockerCli(env, commands);
  const project = projectName(root);
  const remains = await remainsOf(docker, project);
  if (remains !== '') {
    await removeProject(docker, project, stopWithin);
    left.push(`${remains} of ${project}`);
  }
  return left;
}
