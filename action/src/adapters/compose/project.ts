import { createHash } from 'node:crypto';
import { Fault } from '../../model/fault.ts';
import type { DockerCli } from './cli.ts';
import { projectLabel } from './containers.ts';
import { engineDown } from './engine.ts';

/** Beyond the time that the containers have to stop: the engine's own work on them, their volumes and networks. */
const downMargin = 45;
/** A command that was ended in the middle may have one more container made after the first look. */
const mostRounds = 3;

/** Name of the checkout's project: the same for every run of it, so that the next run finds what one left. */
export function projectName(root: string): string {
  return `perf-gate-${createHash('sha256').update(root).digest('hex').slice(0, 12)}`;
}

interface Remains {
  readonly containers: readonly string[];
  readonly volumes: readonly string[];
  readonly networks: readonly string[];
}

/** What the engine holds of the project, as words such as `3 containers`. Empty if nothing. */
export async function remainsOf(docker: DockerCli, project: string): Promise<string> {
  return words(await readRemains(docker, project));
}

/**
 * Removes containers, volumes and networks of the project, by its name alone: the compose file may have changed
 * since, and its variables are of no use here.
 */
export async function removeProject(docker: DockerCli, project: string, stopWithin: number): Promise<void> {
  let answer = '';
  for (let round = 0; round < mostRounds; round += 1) {
    const { stderr } = await docker.run(
      [
        'compose',
        '-p',
        project,
        'down',
        '-v',
        '--remove-orphans',
        '--timeout',
        String(Math.ceil(stopWithin)),
      ],
      { within: stopWithin + downMargin },
    );
    answer = stderr;
    const remains = await readRemains(docker, project);
    if (words(remains) === '') return;
    await removeByName(docker, remains);
    if ((await remainsOf(docker, project)) === '') return;
  }
  throw new Fault({
    code: 'E_STACK_LEFT',
    kind: 'measurement',
    place: `docker compose -p ${project} down`,
    cause: `${await remainsOf(docker, project)} could not be removed`,
    nextStep: 'look at what holds them (`docker ps -a`); the next check tries again',
    logTail: answer.trim().split('\n').slice(-10),
  });
}

/** For what Compose does not know any more, such as a volume that was made for a container that never was. */
async function removeByName(docker: DockerCli, { containers, volumes, networks }: Remains): Promise<void> {
  if (containers.length > 0) await docker.run(['rm', '--force', '--volumes', ...containers], { within: 60 });
  if (networks.length > 0) await docker.run(['network', 'rm', ...networks]);
  if (volumes.length > 0) await docker.run(['volume', 'rm', '--force', ...volumes], { within: 60 });
}

async function readRemains(docker: DockerCli, project: string): Promise<Remains> {
  const list = async (...args: string[]) => {
    const answer = await docker.run([...args, '--filter', `label=${projectLabel}=${project}`]);
    if (answer.code !== 0) throw engineDown(answer);
    return answer.stdout.split('\n').filter((line) => line !== '');
  };
  const [containers, volumes, networks] = await Promise.all([
    list('ps', '-aq'),
    list('volume', 'ls', '-q'),
    list('network', 'ls', '-q'),
  ]);
  return { containers, volumes, networks };
}

function words({ containers, volumes, networks }: Remains): string {
  return [
    counted(containers.length, 'container'),
    counted(volumes.length, 'volume'),
    counted(networks.length, 'network'),
  ]
    .filter((part) => part !== '')
    .join(', ');
}

function counted(count: number, noun: string): string {
  return count === 0 ? '' : `${count} ${noun}${count === 1 ? '' : 's'}`;
}
