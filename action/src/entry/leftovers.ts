import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DockerCli, projectName, remainsOf, removeProject } from '../adapters/compose/index.ts';
import { Leftovers, writeFault } from '../adapters/host/index.ts';
import { Fault } from '../model/fault.ts';
import { type GitLeftovers, gitLeftovers } from './checkout-git.ts';
import { baseWorkspace, type Workspace } from './workspace.ts';

/** Containers that are only removed need no time to finish their work. */
const stopWithinSeconds = 0;

/**
 * Ends whatever an earlier check left running, and removes the containers of these checkouts. Returns a description of
 * each thing it ended. Runs no `docker` command without a checkout.
 */
export async function endLeftovers(
  workspace: Workspace,
  checkouts: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  // Processes first: a running docker command would create again what is removed after it.
  const processes = endProcesses(workspace);
  const containers = await removeContainers(workspace, checkouts, env);
  return [...processes, ...containers, ...endGit(gitLeftovers(workspace))];
}

/** Checkouts of the base commits that were measured here last. */
export function baseCheckouts({ basesDirectory }: Workspace): readonly string[] {
  const bases = existsSync(basesDirectory) ? readdirSync(basesDirectory) : [];
  return bases.map((name) => join(basesDirectory, name));
}

function endProcesses(workspace: Workspace): readonly string[] {
  return [workspace, baseWorkspace(workspace)].flatMap(({ workDirectory }) => [
    ...new Leftovers(join(workDirectory, 'processes.json')).kill(),
    ...dockerCommands(workDirectory).kill(),
  ]);
}

async function removeContainers(
  { workDirectory }: Workspace,
  checkouts: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const removed: string[] = [];
  const docker = new DockerCli(env, dockerCommands(workDirectory));
  try {
    for (const project of checkouts.map(projectName)) {
      const remains = await remainsOf(docker, project);
      if (remains === '') continue;
      await removeProject(docker, project, stopWithinSeconds);
      removed.push(`${remains} of ${project}`);
    }
  } catch (error) {
    // Without Docker, no container was started either.
    if (!(error instanceof Fault && error.details.code === 'E_ENGINE_MISSING')) throw error;
  }
  return removed;
}

function endGit({ commands, scratchDirectory }: GitLeftovers): readonly string[] {
  const ended = commands.kill();
  try {
    // A killed command may still write for a moment, so removing may need another attempt.
    rmSync(scratchDirectory, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    throw writeFault(error, scratchDirectory, 'E_RESULTS_WRITE');
  }
  return ended;
}

function dockerCommands(workDirectory: string): Leftovers {
  return new Leftovers(join(workDirectory, 'docker-commands.json'));
}
