import { createHash } from 'node:crypto';
import { Fault } from '../../model/fault.ts';
import { projectLabel } from './containers.ts';
import type { DockerCli } from './docker.ts';
import { engineDown } from './engine.ts';

/** Seconds for the engine to remove containers, volumes and networks after the containers have stopped. */
const removeWithin = 45;
const removeByNameWithin = 60;
/** A command that was ended half-way may create one more container after the first round. */
const maxRounds = 3;

/** What a project consists of, with the commands that list and remove it, in the order of removal. */
const kinds = [
  { noun: 'container', list: ['ps', '-aq'], remove: ['rm', '--force', '--volumes'] },
  { noun: 'network', list: ['network', 'ls', '-q'], remove: ['network', 'rm'] },
  { noun: 'volume', list: ['volume', 'ls', '-q'], remove: ['volume', 'rm', '--force'] },
] as const;
/** Names of what exists, by noun. */
type Remains = Readonly<Record<(typeof kinds)[number]['noun'], readonly string[]>>;

/** Names the checkout's project. The name never changes, so that a later check finds what this one leaves. */
export function projectName(root: string): string {
  return `perf-gate-${createHash('sha256').update(root).digest('hex').slice(0, 12)}`;
}

/** Counts what the engine holds of the project, such as `3 containers, 1 network`. Empty if nothing. */
export async function remainsOf(docker: DockerCli, project: string): Promise<string> {
  return countsOf(await readRemains(docker, project));
}

/**
 * Removes the project's containers, volumes and networks. It needs only the project's name, because the compose file
 * may have changed since.
 */
export async function removeProject(docker: DockerCli, project: string, stopWithin: number): Promise<void> {
  const timeout = String(Math.ceil(stopWithin));
  const down = ['compose', '-p', project, 'down', '-v', '--remove-orphans', '--timeout', timeout];
  let stderr = '';
  for (let round = 0; round < maxRounds; round += 1) {
    ({ stderr } = await docker.run(down, { within: stopWithin + removeWithin }));
    const remains = await readRemains(docker, project);
    // Compose overlooks some leftovers, such as a volume of a container that was never created.
    for (const { noun, remove } of kinds) {
      if (remains[noun].length === 0) continue;
      await docker.run([...remove, ...remains[noun]], { within: removeByNameWithin });
    }
    if ((await remainsOf(docker, project)) === '') return;
  }
  throw new Fault({
    code: 'E_STACK_LEFT',
    kind: 'measurement',
    place: `docker compose -p ${project} down`,
    cause: `${await remainsOf(docker, project)} could not be removed`,
    nextStep: 'find out what uses them (`docker ps -a`); the next check tries again',
    logTail: stderr.trim().split('\n').slice(-10),
  });
}

async function readRemains(docker: DockerCli, project: string): Promise<Remains> {
  const entries = kinds.map(async ({ noun, list }) => {
    const answer = await docker.run([...list, '--filter', `label=${projectLabel}=${project}`]);
    if (answer.code !== 0) throw engineDown(answer);
    return [noun, answer.stdout.split('\n').filter((line) => line !== '')];
  });
  return Object.fromEntries(await Promise.all(entries));
}

function countsOf({ container, volume, network }: Remains): string {
  return Object.entries({ container, volume, network })
    .filter(([, { length }]) => length > 0)
    .map(([noun, { length }]) => `${length} ${noun}${length === 1 ? '' : 's'}`)
    .join(', ');
}
