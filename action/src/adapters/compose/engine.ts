import { Fault, type FaultDetails } from '../../model/fault.ts';
import { type DockerCli, DockerMissing, type DockerResult } from './docker.ts';

/** The first version that applies `!override` of a second file also to what the first file includes. */
const oldestCompose = '2.24.6';
const numerically = new Intl.Collator('en', { numeric: true });
const installCompose = 'install the package docker-compose-plugin (Compose v2), or use `--stack process`';

export interface Engine {
  /** Without the buildx plugin only the classic builder works, and only on request. */
  readonly hasBuildx: boolean;
}

/** Throws a Fault if no engine answers, or Compose is missing or too old. */
export async function checkEngine(docker: DockerCli, signal: AbortSignal): Promise<Engine> {
  const server = await run(docker, ['version', '--format', '{{.Server.Version}}'], signal);
  if (server.code !== 0) throw engineDown(server);
  const compose = await run(docker, ['compose', 'version', '--short'], signal);
  const printed = compose.code === 0 ? compose.stdout.trim() : '';
  const version = composeVersion(printed);
  if (version === undefined) throw await composeMissing(docker, signal);
  if (isOldCompose(version)) throw composeOld(printed);
  const buildx = await run(docker, ['buildx', 'version'], signal);
  return { hasBuildx: buildx.code === 0 };
}

/** The numbers alone, such as `2.40.3` of `v2.40.3-desktop.1`. Undefined if the text is no version. */
export function composeVersion(printed: string): string | undefined {
  return /^v?(\d+\.\d+(?:\.\d+)?)/.exec(printed)?.[1];
}

export function isOldCompose(version: string): boolean {
  return numerically.compare(version, oldestCompose) < 0;
}

/** Explains how the engine failed to answer. */
export function engineDown({ stderr, timedOut }: DockerResult): Fault {
  const message = stderr.trim().split('\n').at(-1) ?? '';
  if (!timedOut && /permission denied/i.test(stderr)) {
    return fault({
      code: 'E_ENGINE_DOWN',
      place: 'docker version',
      cause: `this user may not use the Docker engine: ${message}`,
      nextStep: 'add the user to the group `docker` and log in again',
    });
  }
  return fault({
    code: 'E_ENGINE_DOWN',
    place: 'docker version',
    cause: timedOut
      ? 'the Docker engine did not answer in time'
      : `the Docker engine does not answer: ${message}`,
    nextStep: 'start Docker (`systemctl start docker`, or Docker Desktop), or use `--stack process`',
  });
}

async function run(docker: DockerCli, args: readonly string[], signal: AbortSignal): Promise<DockerResult> {
  try {
    return await docker.run(args, { signal });
  } catch (error) {
    if (!(error instanceof DockerMissing)) throw error;
    throw fault({
      code: 'E_ENGINE_MISSING',
      place: 'docker',
      cause: 'Docker is not installed, or not on the PATH',
      nextStep: 'install Docker with Compose v2, or use `--stack process`',
    });
  }
}

/** Compose v1 was a program of its own, and its users often do not know that v2 is another one. */
async function composeMissing(docker: DockerCli, signal: AbortSignal): Promise<Fault> {
  const old = await docker
    .run(['version', '--short'], { program: 'docker-compose', signal })
    .catch(() => undefined);
  if (old?.code === 0 && /^v?1\./.test(old.stdout)) return composeOld(old.stdout.trim());
  return fault({
    code: 'E_COMPOSE_MISSING',
    place: 'docker compose version',
    cause: 'Docker has no Compose plugin',
    nextStep: installCompose,
  });
}

function composeOld(version: string): Fault {
  return fault({
    code: 'E_COMPOSE_OLD',
    place: 'docker compose version',
    cause: `this is Compose ${version}, and the gate needs ${oldestCompose} or later`,
    nextStep: installCompose,
  });
}

function fault(details: Omit<FaultDetails, 'kind'>): Fault {
  return new Fault({ kind: 'measurement', ...details });
}
