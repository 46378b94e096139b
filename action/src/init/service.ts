import type { ConfigText } from '../model/config.ts';
import { Fault } from '../model/fault.ts';
import { backingFindings } from './backing.ts';
import { goService, rustService } from './compiled-service.ts';
import { composeFileOf, composeService } from './compose-service.ts';
import { type Dockerfile, readDockerfile } from './dockerfile.ts';
import { type Finding, found, guessed } from './finding.ts';
import { nodeService } from './node-service.ts';
import { procfileService } from './procfile.ts';
import { pythonService } from './python-service.ts';
import { manifestText, type Repository } from './repository.ts';
import { springBootService } from './spring-boot-service.ts';
import { type Start, startOf } from './start.ts';

/** How the service of a repository is run, as far as can be told from outside. */
export interface Service {
  readonly stack: ConfigText['stack'];
  /** Addresses below its url that a first scenario asks for: at least one. */
  readonly routes: readonly string[];
  /** Major version of the JDK that it is built with; undefined if it needs none on the runner. */
  readonly jdk: string | undefined;
  /** True if package.json builds or starts it on the runner. */
  readonly node: boolean;
  /** A compose file that has to be written, as there is only a Dockerfile; undefined if none. */
  readonly composeFile: ComposeFileText | undefined;
  readonly findings: readonly Finding[];
}

/** Data of a compose file. */
export type ComposeFileText = Readonly<Record<string, unknown>>;

/**
 * Looks for a compose file, then for what starts the service by itself, then for a Dockerfile: what the team runs
 * together first, and what is surest to be the whole of it.
 */
export function guessService(repository: Repository, asked: string | undefined): Service {
  const composeFile = composeFileOf(repository);
  if (composeFile !== undefined) {
    const { stack, routes, findings } = composeService(repository, composeFile, asked);
    return { ...none, stack: { compose: stack }, routes, findings };
  }
  const dockerText = manifestText(repository, 'Dockerfile');
  const docker = dockerText === undefined ? undefined : readDockerfile(dockerText);
  const spring = springBootService(repository, asked);
  if (spring !== undefined) return asProcess(repository, spring, false);
  const node = nodeService(repository);
  const point =
    procfileService(repository) ??
    node ??
    pythonService(repository, docker?.command) ??
    goService(repository, asked) ??
    rustService(repository);
  if (point !== undefined) {
    return asProcess(repository, startOf(repository, point, docker?.port), point === node);
  }
  if (docker !== undefined) return inContainer(docker);
  throw new Fault({
    code: 'E_INIT_COMMAND',
    kind: 'usage',
    place: repository.name,
    cause:
      'nothing tells how its service is started: there is no compose file, no Spring Boot build, no package.json with a start script, no Procfile, no Python, Go or Rust service, and no Dockerfile',
    nextStep: 'put the command into a Procfile, such as `web: ./server --port $PORT`, and run this again',
  });
}

const none = { jdk: undefined, node: false, composeFile: undefined } as const;

function asProcess(repository: Repository, { stack, routes, jdk, findings }: Start, node: boolean): Service {
  return {
    ...none,
    stack: { process: stack },
    routes,
    jdk,
    node,
    findings: [...findings, ...backingFindings(repository)],
  };
}

/** Containers need a compose file; this one only builds the Dockerfile and publishes its port. */
function inContainer({ port = 8080, healthPath, ...dockerfile }: Dockerfile): Service {
  const path = healthPath ?? '/';
  return {
    ...none,
    stack: {
      compose: { file: 'compose.yml', buildImages: true, service: 'service', port, ready: { port, path } },
    },
    routes: [path],
    composeFile: {
      services: {
        service: { build: '..', ports: [`127.0.0.1::${port}`], cpuset: '${APP_CPUSET:-}' },
      },
    },
    findings: [
      found(
        `the Dockerfile${dockerfile.command === undefined ? '' : ', and what it starts'}: perf/compose.yml runs it`,
      ),
      guessed(`it answers on port ${port}`),
      healthPath === undefined
        ? guessed('ready once / answers 2xx: there is no health check that asks an address')
        : found(`its health check: ready once ${path} answers 2xx`),
    ],
  };
}
