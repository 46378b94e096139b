import type { ConfigText } from '../../model/config.ts';
import { Fault } from '../../model/fault.ts';
import {
  type BackedContainer,
  backedDockerfile,
  backedSpringBoot,
  onlyBacking,
} from '../backing/backed-container.ts';
import { composeService } from '../backing/compose-service.ts';
import { type ComposeText, readComposeFile, startedServices } from '../backing/compose-text.ts';
import { backingFindings } from '../backing/drivers.ts';
import { isBacking } from '../backing/images.ts';
import type { ComposeFileText } from '../files/gate-file.ts';
import { edit, type Finding, found, guessed } from '../finding.ts';
import { manifestText, type Repository } from '../repository.ts';
import { goService, rustService } from './compiled.ts';
import { type Dockerfile, readDockerfile } from './dockerfile.ts';
import { jarBuild } from './jar-build.ts';
import { nodeService } from './node.ts';
import { procfileService } from './procfile.ts';
import { pythonService } from './python.ts';
import { serviceFault } from './service-fault.ts';
import { readSpringBoot, springBootProcess } from './spring-boot.ts';
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

/**
 * Looks for a compose file, then for what starts the service by itself, then for a Dockerfile: what the team runs
 * together first, and what is surest to be the whole of it. A compose file of backing services alone is taken in by
 * one that adds the service.
 */
export function guessService(repository: Repository, asked: string | undefined): Service {
  const compose = readComposeFile(repository);
  const composed = compose === undefined ? undefined : composeService(repository, compose, asked);
  if (composed !== undefined) {
    const { stack, ...rest } = composed;
    return { ...none, ...rest, stack: { compose: stack } };
  }
  const dockerText = manifestText(repository, 'Dockerfile');
  const docker = dockerText === undefined ? undefined : readDockerfile(dockerText);
  const spring = readSpringBoot(repository, asked);
  if (spring !== undefined) {
    if (compose === undefined) return asProcess(repository, springBootProcess(spring), false);
    return inBackedContainer(backedSpringBoot(repository, compose, spring));
  }
  if (compose !== undefined && asked !== undefined) {
    const program = goService(repository, asked);
    if (program !== undefined)
      return besideBacking(compose, startOf(repository, program, docker?.port), false);
    throw serviceFault(
      compose.file,
      startedServices(compose).map(([name]) => name),
      asked,
    );
  }
  if (compose !== undefined && docker !== undefined) {
    return inBackedContainer(backedDockerfile(repository, compose, docker));
  }
  const node = nodeService(repository);
  const point =
    procfileService(repository) ??
    node ??
    pythonService(repository, docker?.command) ??
    goService(repository, asked) ??
    rustService(repository);
  if (point !== undefined) {
    const start = startOf(repository, point, docker?.port);
    if (compose === undefined) return asProcess(repository, start, point === node);
    return besideBacking(compose, start, point === node);
  }
  if (compose !== undefined) throw nothingBeside(compose);
  if (docker !== undefined) return inContainer(repository, docker);
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

/** What starts it is known, but not what would hold it in a container. */
function besideBacking(
  compose: ComposeText,
  { stack, routes, jdk, findings }: Start,
  node: boolean,
): Service {
  return {
    ...none,
    stack: { process: stack },
    routes,
    jdk,
    node,
    findings: [
      onlyBacking(compose),
      ...findings,
      edit(
        `add the service to ${compose.file}, with \`build\` and \`ports\`, and run this again; or write as \`stack.process.backing\` a command that starts what it needs, then prints {"ready":true,"env":{...}} with their addresses`,
      ),
    ],
  };
}

function nothingBeside(compose: ComposeText): Fault {
  const { file } = compose;
  const started = startedServices(compose);
  const names = started.map(([name]) => name);
  const [other] = started.filter(([, service]) => !isBacking(service)).map(([name]) => name);
  return new Fault({
    code: 'E_INIT_SERVICE',
    kind: 'usage',
    place: file,
    cause: `no service of it looks like one that answers HTTP (${names.slice(0, 10).join(', ')}), and nothing beside it tells how yours is started`,
    nextStep: `${other === undefined ? '' : `name it, --service ${other}, or `}add yours to ${file} with \`build: .\` and \`ports: ["127.0.0.1::8080"]\`, its own port in place of 8080; or put its command into a Procfile, such as \`web: ./server --port $PORT\``,
  });
}

function inBackedContainer({ stack, ...rest }: BackedContainer): Service {
  return { ...none, ...rest, stack: { compose: stack } };
}

/** Containers need a compose file; this one only builds the Dockerfile and publishes its port. */
function inContainer(repository: Repository, docker: Dockerfile): Service {
  const { port = 8080, healthPath, copied } = docker;
  const path = healthPath ?? '/';
  const jars = jarBuild(repository, [{ dockerfile: 'Dockerfile', context: '', copied }]);
  return {
    ...none,
    stack: {
      compose: {
        ...(jars.steps.length === 0 ? {} : { root: '..', build: [...jars.steps] }),
        file: 'compose.yml',
        buildImages: true,
        service: 'service',
        port,
        ready: { port, path },
      },
    },
    routes: [path],
    jdk: jars.jdk,
    composeFile: {
      comment:
        ' Runs the Dockerfile for perf-gate. What the service needs besides, such as a database, belongs here too.',
      content: {
        services: {
          service: { build: '..', ports: [`127.0.0.1::${port}`], cpuset: '${APP_CPUSET:-}' },
        },
      },
    },
    findings: [
      found(
        `the Dockerfile${docker.command === undefined ? '' : ', and what it starts'}: perf/compose.yml runs it`,
      ),
      ...jars.findings,
      guessed(`it answers on port ${port}`),
      healthPath === undefined
        ? guessed('ready once / answers 2xx: there is no health check that asks an address')
        : found(`its health check: ready once ${path} answers 2xx`),
    ],
  };
}
