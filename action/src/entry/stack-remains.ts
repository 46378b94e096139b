import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  DockerCli,
  DockerMissing,
  projectName,
  remainsOf,
  removeProject,
} from '../adapters/compose/index.ts';
import { Leftovers } from '../adapters/host/index.ts';
import { ofBase, type Workspace } from './workspace.ts';

/** Nobody waits for what the containers still have to do. */
const stopWithin = 0;

/** Ends the processes that a check left running on either of its sides, Docker's commands among them, and names them. */
export function endProcesses(workspace: Workspace): readonly string[] {
  return [workspace, ofBase(workspace)].flatMap(({ workDirectory }) => [
    ...new Leftovers(join(workDirectory, 'processes.json')).kill(),
    ...dockerCommands(workDirectory).kill(),
  ]);
}

/** Folders of the base commits that were measured here last. */
export function baseCheckouts({ basesDirectory }: Workspace): readonly string[] {
  const bases = existsSync(basesDirectory) ? readdirSync(basesDirectory) : [];
  return bases.map((name) => join(basesDirectory, name));
}

/**
 * Removes what the engine still holds of the stacks of these checkouts, and says what that was. After
 * `endProcesses()`, or their commands would go on making what is removed. Runs no `docker` for no checkout.
 */
export async function removeContainers(
  { workDirectory }: Workspace,
  checkouts: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const left: string[] = [];
  const docker = new DockerCli(env, dockerCommands(workDirectory));
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

function dockerCommands(workDirectory: string): Leftovers {
  return new Leftovers(join(workDirectory, 'docker-commands.json'));
}
