import { Fault } from '../../model/fault.ts';
import { type DockerAnswer, type DockerCli, DockerMissing } from './cli.ts';

/** The first that merges `!override` of a second file also into what the first one includes. */
const oldestCompose = '2.24.6';
const byNumbers = new Intl.Collator('en', { numeric: true });

/** What the engine is, as far as it changes how it is driven. */
export interface Engine {
  /** Without the buildx plugin only the classic builder works, and has to be asked for. */
  readonly hasBuildx: boolean;
}

/** Throws a Fault if there is no engine that answers, or no Compose that this gate can drive. */
export async function checkEngine(docker: DockerCli, signal: AbortSignal): Promise<Engine> {
  const server = await asked(docker, ['version', '--format', '{{.Server.Version}}'], signal);
  if (server.code !== 0) throw engineDown(server);
  const compose = await asked(docker, ['compose', 'version', '--short'], signal);
  const printed = compose.stdout.trim();
  const version = compose.code === 0 ? composeVersion(printed) : undefined;
  if (version === undefined) throw await composeMissing(docker, signal);
  if (isOldCompose(version)) throw composeOld(printed);
  const buildx = await asked(docker, ['buildx', 'version'], signal);
  return { hasBuildx: buildx.code === 0 };
}

/** The numbers alone, such as `2.40.3` of `v2.40.3-desktop.1`. Undefined if it is no version. */
export function composeVersion(printed: string): string | undefined {
  return /^v?(\d+\.\d+(?:\.\d+)?)/.exec(printed)?.[1];
}

export function isOldCompose(version: string): boolean {
  return byNumbers.compare(version, oldestCompose) < 0;
}

/** Says in which way the engine did not answer. */
export function engineDown({ stderr, timedOut }: DockerAnswer): Fault {
  const said = stderr.trim().split('\n').at(-1) ?? '';
  const denied = /permission denied/i.test(stderr);
  return new Fault({
    code: 'E_ENGINE_DOWN',
    kind: 'measurement',
    place: 'docker version',
    cause: timedOut
      ? 'the Docker engine did not answer in time'
      : denied
        ? `this user may not use the Docker engine: ${said}`
        : `the Docker engine does not answer: ${said}`,
    nextStep: denied
      ? 'add the user to the group `docker` and log in again'
      : 'start Docker (`systemctl start docker`, or Docker Desktop), or use `--stack process`',
  });
}

async function asked(docker: DockerCli, args: readonly string[], signal: AbortSignal): Promise<DockerAnswer> {
  try {
    return await docker.run(args, { signal });
  } catch (error) {
    if (!(error instanceof DockerMissing)) throw error;
    throw new Fault(
      {
        code: 'E_ENGINE_MISSING',
        kind: 'measurement',
        place: 'docker',
        cause: 'Docker is not installed, or not on the PATH',
        nextStep: 'install Docker with Compose v2, or use `--stack process`',
      },
      { cause: error },
    );
  }
}

/** Compose v1 was a program of its own; whoever has it usually does not know that it is not v2. */
async function composeMissing(docker: DockerCli, signal: AbortSignal): Promise<Fault> {
  const old = await docker
    .runProgram('docker-compose', ['version', '--short'], { signal })
    .catch(() => undefined);
  if (old?.code === 0 && /^v?1\./.test(old.stdout)) return composeOld(old.stdout.trim());
  return new Fault({
    code: 'E_COMPOSE_MISSING',
    kind: 'measurement',
    place: 'docker compose version',
    cause: 'Docker has no Compose plugin',
    nextStep: 'install the package docker-compose-plugin (Compose v2), or use `--stack process`',
  });
}

function composeOld(version: string): Fault {
  return new Fault({
    code: 'E_COMPOSE_OLD',
    kind: 'measurement',
    place: 'docker compose version',
    cause: `this is Compose ${version}; at least ${oldestCompose} is needed`,
    nextStep: 'install the package docker-compose-plugin, or use `--stack process`',
  });
}
