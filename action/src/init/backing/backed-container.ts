import type { ComposeFileText } from '../files/gate-file.ts';
import { edit, type Finding, found, guessed } from '../finding.ts';
import { type Repository, serviceSources } from '../repository.ts';
import { type Dockerfile, readDockerfile } from '../service/dockerfile.ts';
import { type ImageBuild, jarBuild } from '../service/jar-build.ts';
import { defaultJdk, guessedJdk } from '../service/jvm-build.ts';
import { readinessPath } from '../service/readiness.ts';
import { routesIn } from '../service/routes.ts';
import type { SpringBoot } from '../service/spring-boot.ts';
import type { Signals } from '../service/spring-signals.ts';
import type { ComposeStack } from './compose-service.ts';
import {
  type ComposedService,
  type ComposeText,
  publishedPorts,
  requiredSecrets,
  startedServices,
} from './compose-text.ts';
import { isNeeded } from './images.ts';
import { type Connections, springConnections } from './spring-connections.ts';

/** A service that is missing from the repository's compose file, in a container next to the services of that file. */
export interface BackedContainer {
  readonly stack: ComposeStack;
  readonly composeFile: ComposeFileText;
  readonly routes: readonly string[];
  /** Costs that its metrics count; absent if none are known. */
  readonly signals?: Signals;
  /** Major version of the JDK that builds it on the runner; undefined if the runner needs none. */
  readonly jdk: string | undefined;
  readonly findings: readonly Finding[];
}

const webPort = 8080;
const managementPort = 8081;

/** Spring Boot reads every address from its environment, so its jar or image runs next to them without an edit. */
export function backedSpringBoot(
  repository: Repository,
  compose: ComposeText,
  spring: SpringBoot,
): BackedContainer {
  const { build, readyPath, metricsPath } = spring;
  const needed = neededServices(compose);
  const connections = springConnections(needed, build.text);
  const image = dockerfileIn(repository, build.folder);
  const jars = image === undefined ? undefined : jarBuild(repository, [image]);
  const steps = jars?.steps ?? [build.step];
  const management = spring.separateManagementPort ? managementPort : webPort;
  const jdk = spring.jdk ?? defaultJdk;
  // A JDK, whose jcmd profiles a service that became slower.
  const java = `eclipse-temurin:${jdk}-jdk`;
  return {
    ...containerStack(repository, compose, {
      steps: [...steps],
      secrets: connections.secrets,
      variables: connections.variables,
      ports: spring.separateManagementPort ? [webPort, management] : [webPort],
      ready: { port: management, path: readyPath },
      metricsPath,
      definition: {
        ...(image === undefined
          ? {
              image: java,
              command: ['java', '-jar', '/service.jar'],
              volumes: [`../${build.jar}:/service.jar:ro`],
            }
          : { build: buildOf(image) }),
        environment: {
          SERVER_PORT: String(webPort),
          ...(spring.separateManagementPort ? { MANAGEMENT_SERVER_PORT: String(managementPort) } : {}),
          ...spring.env,
          ...connections.environment,
        },
      },
    }),
    routes: spring.routes,
    signals: spring.signals,
    jdk: steps.length === 0 ? undefined : jdk,
    findings: [
      onlyBacking(compose),
      ...(image === undefined
        ? [
            ...build.findings,
            found(`no Dockerfile, so perf/compose.yml runs the jar on ${java}, next to them`),
          ]
        : [found(`${image.dockerfile}: perf/compose.yml builds it and runs it next to them`)]),
      ...(jars?.findings ?? []).filter((finding) => finding !== guessedJdk),
      ...spring.findings,
      ...(spring.jdk === undefined && steps.length > 0 ? [guessedJdk] : []),
      ...connectionFindings(connections, needed),
    ],
  };
}

function connectionFindings(
  { secrets, known, unknown }: Connections,
  needed: readonly Named[],
): readonly Finding[] {
  return [
    ...(secrets.length === 0
      ? []
      : [guessed(`random values for ${secrets.join(', ')}, because every run starts with new volumes`)]),
    ...(known.length === 0
      ? []
      : [
          guessed(
            `Spring Boot's own properties point to ${known.join(', ')}: see \`environment\` in perf/compose.yml`,
          ),
        ]),
    ...addressEdit(needed.filter(([name]) => unknown.includes(name))),
  ];
}

/** We know the addresses, but not which variables a non-Spring service reads. */
export function backedDockerfile(
  repository: Repository,
  compose: ComposeText,
  docker: Dockerfile,
): BackedContainer {
  const image: ImageBuild = { dockerfile: 'Dockerfile', context: '', copied: docker.copied };
  const jars = jarBuild(repository, [image]);
  const { port = webPort } = docker;
  const sources = serviceSources(repository);
  const routes = routesIn(sources);
  const known = docker.healthPath ?? readinessPath(sources);
  const path = known ?? routes[0] ?? '/';
  return {
    ...containerStack(repository, compose, {
      steps: [...jars.steps],
      secrets: [],
      variables: {},
      ports: [port],
      ready: { port, path },
      definition: { build: buildOf(image) },
    }),
    routes: routes.length > 0 ? routes : [path],
    jdk: jars.jdk,
    findings: [
      onlyBacking(compose),
      found('Dockerfile: perf/compose.yml builds it and runs it next to them'),
      ...jars.findings,
      docker.port === undefined
        ? guessed(`it answers on port ${port}, because the Dockerfile exposes none`)
        : found(`the Dockerfile exposes port ${port}`),
      known === undefined
        ? guessed(`ready once ${path} answers 2xx, because no health check requests a path`)
        : found(`ready once ${path} answers 2xx`),
      ...addressEdit(neededServices(compose)),
    ],
  };
}

/** Reports that the compose file starts backing services only. */
export function onlyBacking(compose: ComposeText): Finding {
  const names = startedServices(compose).map(([name]) => name);
  return found(`${compose.file} starts what the service needs (${names.join(', ')}), but not the service`);
}

function addressEdit(services: readonly Named[]): readonly Finding[] {
  if (services.length === 0) return [];
  const addresses = services.map(([name, service]) =>
    [name, ...publishedPorts(service).slice(0, 1)].join(':'),
  );
  return [
    edit(
      `point the service to ${addresses.join(', ')} in \`environment\` of perf/compose.yml, where service names are host names`,
    ),
  ];
}

function dockerfileIn(repository: Repository, folder: string): ImageBuild | undefined {
  const within = folder === '' ? [''] : [`${folder}/`, ''];
  const before = within.find((path) => repository.paths.includes(`${path}Dockerfile`));
  if (before === undefined) return undefined;
  const dockerfile = `${before}Dockerfile`;
  const text = repository.text(dockerfile) ?? '';
  return { dockerfile, context: before.slice(0, -1), copied: readDockerfile(text).copied };
}

function buildOf({ context }: ImageBuild): string {
  return context === '' ? '..' : `../${context}`;
}

interface Container {
  readonly steps: NonNullable<ComposeStack['build']>;
  readonly secrets: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** Ports in the container. The first one answers requests. */
  readonly ports: readonly [port: number, ...others: readonly number[]];
  readonly ready: { readonly port: number; readonly path: string };
  readonly metricsPath?: string | undefined;
  readonly definition: Readonly<Record<string, unknown>>;
}

/** The gate's own compose file, which includes the repository's file unchanged. */
function containerStack(
  repository: Repository,
  compose: ComposeText,
  { steps, ports, ready, metricsPath, definition, ...own }: Container,
): Pick<BackedContainer, 'stack' | 'composeFile'> {
  const { file, services } = compose;
  let name = 'service';
  while (Object.hasOwn(services, name)) name = `${name}-under-test`;
  const needed = neededServices(compose);
  const networks = networksOf(needed);
  const secrets = [...new Set([...requiredSecrets(repository, file), ...own.secrets])];
  return {
    stack: {
      ...(steps.length === 0 ? {} : { root: '..', build: [...steps] }),
      file: 'compose.yml',
      ...(definition.build === undefined ? {} : { buildImages: true }),
      service: name,
      port: ports[0],
      ready,
      ...(metricsPath === undefined ? {} : { metrics: { port: ready.port, path: metricsPath } }),
      ...(Object.keys(own.variables).length === 0 ? {} : { env: { ...own.variables } }),
      ...(secrets.length === 0 ? {} : { secrets }),
    },
    composeFile: {
      comment: ` Runs the service for perf-gate, next to the services of ${file}.`,
      content: {
        include: [`../${file}`],
        services: {
          [name]: {
            ...definition,
            ports: ports.map((port) => `127.0.0.1::${port}`),
            ...(needed.length === 0 ? {} : { depends_on: needed.map(([one]) => one) }),
            ...(networks.length === 0 ? {} : { networks }),
            cpuset: '${APP_CPUSET:-}',
          },
        },
      },
    },
  };
}

type Named = readonly [name: string, service: ComposedService];

function neededServices(compose: ComposeText): readonly Named[] {
  return startedServices(compose).filter(([, service]) => isNeeded(service));
}

/** The networks that reach them; none if Compose's default network does. */
function networksOf(needed: readonly Named[]): readonly string[] {
  const networks = new Set(
    needed.flatMap(([, service]) => (service.networks.length === 0 ? ['default'] : service.networks)),
  );
  return networks.size === 1 && networks.has('default') ? [] : [...networks];
}
