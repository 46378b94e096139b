import type { ConfigText } from '../../model/config.ts';
import { Fault } from '../../model/fault.ts';
import {
  type BackedContainer,
  backedDockerfile,
  backedSpringBoot,
  onlyBacking,
} from '../backing/backed-container.ts';
import { type ComposeService, composeService } from '../backing/compose-service.ts';
import { type ComposeText, readComposeFile, startedServices } from '../backing/compose-text.ts';
import { backingFindings } from '../backing/drivers.ts';
import { isBacking, isDatabase } from '../backing/images.ts';
import type { ComposeFileText } from '../files/gate-file.ts';
import { edit, type Finding, found, guessed } from '../finding.ts';
import { manifestText, type Repository, serviceFault } from '../repository.ts';
import { goService, rustService } from './compiled.ts';
import { type Dockerfile, readDockerfile } from './dockerfile.ts';
import { jarBuild } from './jar-build.ts';
import { nodeService } from './node.ts';
import { procfileService } from './procfile.ts';
import { pythonService } from './python.ts';
import { readSpringBoot, type SpringBoot, springBootProcess } from './spring-boot.ts';
import type { Signals } from './spring-signals.ts';
import { type Start, startOf } from './start.ts';

/** How to run the service of a repository, as far as its files show. */
export interface Service {
  readonly stack: ConfigText['stack'];
  /** One or more paths for a first scenario. */
  readonly routes: readonly string[];
  /** Costs that its metrics count; absent if none are known. */
  readonly signals?: Signals;
  /** Major version of the JDK that builds it on the runner; undefined if the runner needs none. */
  readonly jdk: string | undefined;
  /** True if package.json builds or starts it on the runner. */
  readonly node: boolean;
  /** A new compose file that runs the service; undefined if the gate needs none. */
  readonly composeFile: ComposeFileText | undefined;
  readonly findings: readonly Finding[];
}

/**
 * Tries the repository's compose file first, because the team runs that as a whole. Then come the commands that start
 * a service, and then a Dockerfile. A compose file of backing services only is included by a new one with the service.
 */
export function guessService(repository: Repository, requested: string | undefined): Service {
  const compose = readComposeFile(repository);
  const composed = compose === undefined ? undefined : composeService(repository, compose, requested);
  if (composed !== undefined) return inContainer(composed);
  const dockerText = manifestText(repository, 'Dockerfile');
  const docker = dockerText === undefined ? undefined : readDockerfile(dockerText);
  const spring = readSpringBoot(repository, requested);
  if (compose !== undefined) return nextToBacking(repository, compose, { docker, spring, requested });
  const start =
    spring === undefined ? programStart(repository, docker, requested) : springBootProcess(spring);
  if (start !== undefined) return asProcess(start, backingFindings(repository));
  if (docker !== undefined) return fromDockerfile(repository, docker);
  throw new Fault({
    code: 'E_INIT_COMMAND',
    kind: 'usage',
    place: repository.name,
    cause:
      'nothing says how to start the service: init found no compose file, no Spring Boot build, no package.json with a start script, no Procfile, no Python, Go or Rust service, and no Dockerfile',
    nextStep: 'put the command into a Procfile, such as `web: ./server --port $PORT`, and run init again',
  });
}

interface Candidates {
  readonly docker: Dockerfile | undefined;
  readonly spring: SpringBoot | undefined;
  /** The service that the caller names. */
  readonly requested: string | undefined;
}

/** The service next to a compose file that starts what it needs, but not the service. */
function nextToBacking(
  repository: Repository,
  compose: ComposeText,
  { docker, spring, requested }: Candidates,
): Service {
  if (spring !== undefined) {
    const { embeddedDatabase } = spring;
    const needed = startedServices(compose);
    if (embeddedDatabase === undefined || !needed.every(([, service]) => isDatabase(service))) {
      return inContainer(backedSpringBoot(repository, compose, spring));
    }
    const names = needed.map(([name]) => name).join(', ');
    return asProcess(springBootProcess(spring), [
      found(
        `it has ${embeddedDatabase} in its own process, so it starts without ${names} of ${compose.file}`,
      ),
    ]);
  }
  if (requested === undefined && docker !== undefined) {
    return inContainer(backedDockerfile(repository, compose, docker));
  }
  // Only a Go module can hold several programs to choose from by name.
  const named = requested === undefined ? undefined : goService(repository, requested);
  const start =
    requested === undefined
      ? programStart(repository, docker, requested)
      : named && startOf(repository, named, docker?.port);
  if (start === undefined) throw noService(compose, requested);
  const { findings, ...rest } = start;
  return asProcess({ ...rest, findings: [onlyBacking(compose), ...findings] }, [
    edit(
      `add the service to ${compose.file}, with \`build\` and \`ports\`, and run init again; or set \`stack.process.backing\` to a command that starts what it needs, then prints {"ready":true,"env":{...}} with their addresses`,
    ),
  ]);
}

function programStart(
  repository: Repository,
  docker: Dockerfile | undefined,
  requested: string | undefined,
): Start | undefined {
  // An unreadable package.json is an error even if a Procfile starts the service.
  const node = nodeService(repository);
  const program =
    procfileService(repository) ??
    node ??
    pythonService(repository, docker?.command) ??
    goService(repository, requested) ??
    rustService(repository);
  return program === undefined ? undefined : startOf(repository, program, docker?.port);
}

const none = { jdk: undefined, node: false, composeFile: undefined } as const;

function asProcess({ stack, findings, ...rest }: Start, more: readonly Finding[]): Service {
  return { ...none, ...rest, stack: { process: stack }, findings: [...findings, ...more] };
}

function noService(compose: ComposeText, requested: string | undefined): Fault {
  const { file } = compose;
  const started = startedServices(compose);
  const names = started.map(([name]) => name);
  if (requested !== undefined) return serviceFault(file, names, requested);
  const [other] = started.filter(([, service]) => !isBacking(service)).map(([name]) => name);
  return new Fault({
    code: 'E_INIT_SERVICE',
    kind: 'usage',
    place: file,
    cause: `no service of the file seems to answer HTTP (${names.slice(0, 10).join(', ')}), and no other file says how to start yours`,
    nextStep: `${other === undefined ? '' : `choose one with --service ${other}, or `}add yours to ${file} with \`build: .\` and \`ports: ["127.0.0.1::8080"]\`, with its own port instead of 8080; or put its command into a Procfile, such as \`web: ./server --port $PORT\``,
  });
}

function inContainer({ stack, ...rest }: ComposeService | BackedContainer): Service {
  return { ...none, ...rest, stack: { compose: stack } };
}

/** The gate runs containers from a compose file. This one builds the Dockerfile and publishes its port. */
function fromDockerfile(repository: Repository, docker: Dockerfile): Service {
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
      comment: ' Runs the Dockerfile for perf-gate. Add what else the service needs, such as a database.',
      content: {
        services: {
          service: { build: '..', ports: [`127.0.0.1::${port}`], cpuset: '${APP_CPUSET:-}' },
        },
      },
    },
    findings: [
      found('Dockerfile: perf/compose.yml builds and runs it'),
      ...jars.findings,
      guessed(`it answers on port ${port}`),
      healthPath === undefined
        ? guessed('ready once / answers 2xx, because no health check requests a path')
        : found(`ready once ${path} answers 2xx, as in its health check`),
    ],
  };
}
