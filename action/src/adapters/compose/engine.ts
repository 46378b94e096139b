import { Fault } from '../../model/fault.ts';
import type { DockerCli, DockerResult } from './docker.ts';

/** The first version that applies `!override` of a second file also to what the first file includes. */
const oldestCompose = '2.24.6';
const numerically = new Intl.Collator('en', { numeric: true });

export interface Engine {
  /** Without the buildx plugin only the classic builder works, and only on request. */
  readonly hasBuildx: boolean;
}

/** Throws a Fault if no engine answers, or Compose is missing or too old. */
export async function checkEngine(docker: DockerCli, signal: AbortSignal): Promise<Engine> {
  const server = await docker.run(['version', '--format', '{{.Server.Version}}'], { signal });
  if (server.code !== 0) throw engineDown(server);
  const compose = await docker.run(['compose', 'version', '--short'], { signal });
  const printed = compose.code === 0 ? compose.stdout.trim() : '';
  const version = composeVersion(printed);
  if (version === undefined) throw await composeMissing(docker, signal);
  if (isOldCompose(version)) throw composeOld(printed);
  const buildx = await docker.run(['buildx', 'version'], { signal });
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
  const denied = !timedOut && /permission denied/i.test(stderr);
  return new Fault({
    code: 'E_ENGINE_DOWN',
    kind: 'measurement',
    place: 'docker version',
    cause: timedOut
      ? 'the Docker engine did not answer in time'
      : denied
        ? `this user may not use the Docker engine: ${message}`
        : `the Docker engine does not answer: ${message}`,
    nextStep: denied
      ? 'add the user to the group `docker` and log in again'
      : 'start Docker (`systemctl start docker`, or Docker Desktop), or use `--stack process`',
  });
}

/** Compose v1 was a program of its own, and its users often do not know that v2 is another one. */
async function composeMissing(docker: DockerCli, signal: AbortSignal): Promise<Fault> {
  const old = await docker
    .run(['version', '--short'], { program: 'docker-compose', signal })
    .catch(() => undefined);
  if (old?.code === 0 && /^v?1\./.test(old.stdout)) return composeOld(old.stdout.trim());
  return composeFault('E_COMPOSE_MISSING', 'Docker has no Compose plugin');
}

function composeOld(version: string): Fault {
  return composeFault(
    'E_COMPOSE_OLD',
    `this is Compose ${version}, and the gate needs ${oldestCompose} or later`,
  );
}

function composeFault(code: string, cause: string): Fault {
  return new Fault({
    code,
    kind: 'usage',
    place: 'docker compose version',
    cause,
    nextStep: 'install the package docker-compose-plugin (Compose v2), or use `--stack process`',
  });
}
