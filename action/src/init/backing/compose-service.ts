import type { ConfigText } from '../../model/config.ts';
import { edit, type Finding, found, guessed } from '../finding.ts';
import { type Repository, serviceFault, serviceSources } from '../repository.ts';
import { readDockerfile } from '../service/dockerfile.ts';
import { jarBuild, relativePath } from '../service/jar-build.ts';
import { portOf } from '../service/port.ts';
import { type HealthAddress, healthAddress, readinessPath } from '../service/readiness.ts';
import { routesIn } from '../service/routes.ts';
import {
  type ComposedService,
  type ComposeText,
  publishedPorts,
  requiredSecrets,
  startedServices,
  withDefaults,
} from './compose-text.ts';
import { isBacking } from './images.ts';

export type ComposeStack = NonNullable<NonNullable<ConfigText['stack']>['compose']>;

/** A service of a compose file, and how to reach it. */
export interface ComposeService {
  readonly stack: ComposeStack;
  readonly routes: readonly string[];
  /** Major version of the JDK that builds the jar of an image; undefined if no image needs one. */
  readonly jdk: string | undefined;
  readonly findings: readonly Finding[];
}

/**
 * Chooses the service of the compose file that answers HTTP, by builds and published ports; undefined if none can be
 * it.
 */
export function composeService(
  repository: Repository,
  compose: ComposeText,
  requested: string | undefined,
): ComposeService | undefined {
  const chosen = choose(compose, requested);
  if (chosen === undefined) return undefined;
  const [name, service] = chosen;
  const { file, services } = compose;
  const docker = imageBuildOf(repository, service);
  const jars = jarBuild(
    repository,
    startedServices(compose).flatMap(([, one]) => imageBuildOf(repository, one) ?? []),
  );
  const health = healthOf(service, docker?.healthPath);
  const port = portFor(file, name, service, docker?.port, health);
  const published = publishedPorts(service);
  const sources = serviceSources(repository);
  const routes = routesIn(sources);
  const ready = readyFor(health, port.number, readinessPath(sources), routes);
  const secrets = requiredSecrets(repository, file);
  const unpublished = [...new Set([port.number, ready.port])].filter((one) => !published.includes(one));
  return {
    stack: {
      ...(jars.steps.length === 0 ? {} : { root: '..', build: [...jars.steps] }),
      file: `../${file}`,
      ...(Object.values(services).some(({ build }) => build !== undefined) ? { buildImages: true } : {}),
      service: name,
      port: port.number,
      ready: { port: ready.port, path: ready.path },
      ...(secrets.length === 0 ? {} : { secrets: [...secrets] }),
    },
    routes: routes.length > 0 ? routes : [ready.port === port.number ? ready.path : '/'],
    jdk: jars.jdk,
    findings: [
      found(
        `${file}: the service ${name}${service.build === undefined ? '' : ' is built from this repository'}`,
      ),
      ...jars.findings,
      port.finding,
      ready.finding,
      ...(secrets.length === 0
        ? []
        : [
            guessed(
              `random values for ${secrets.join(', ')}, because ${file} requires them and no .env sets them`,
            ),
          ]),
      ...unpublished.map((one) =>
        edit(`publish port ${one} of ${name} in ${file}: \`ports: ["127.0.0.1::${one}"]\``),
      ),
    ],
  };
}

type Named = readonly [name: string, service: ComposedService];

function choose(compose: ComposeText, requested: string | undefined): Named | undefined {
  const started = startedServices(compose);
  const named = started.find(([name]) => name === requested);
  if (named !== undefined) return named;
  const own = started.filter(([, service]) => !isBacking(service));
  const reachable = (all: readonly Named[]) =>
    all.filter(([, service]) => publishedPorts(service).length > 0 || service.expose.length > 0);
  const built = own.filter(([, { build }]) => build !== undefined);
  // Prefer services that are built here and published, then other built ones, then images from elsewhere.
  const candidates = [reachable(built), built, reachable(own)].find((some) => some.length > 0) ?? [];
  const [only, ...others] = candidates;
  if (only === undefined) return undefined;
  if (requested === undefined && others.length === 0) return only;
  throw serviceFault(
    compose.file,
    (requested === undefined ? candidates : started).map(([name]) => name),
    requested,
  );
}

/** The Dockerfile of a service, with its path and its build context. */
function imageBuildOf(repository: Repository, { build }: ComposedService) {
  if (build === undefined) return undefined;
  const dockerfile = relativePath(`${build.context}/${build.dockerfile ?? 'Dockerfile'}`);
  const text = repository.text(dockerfile);
  return text === undefined
    ? undefined
    : { ...readDockerfile(text), dockerfile, context: relativePath(build.context) };
}

function healthOf(
  { healthcheck }: ComposedService,
  dockerPath: string | undefined,
): HealthAddress | undefined {
  const own = healthcheck === undefined ? undefined : healthAddress(withDefaults(healthcheck.test));
  return own ?? (dockerPath === undefined ? undefined : { port: undefined, path: dockerPath });
}

/** Debuggers use these ports, not clients of the service. */
const debugPorts = new Set([5005, 5858, 9229, 2345]);

function portFor(
  file: string,
  name: string,
  service: ComposedService,
  exposed: number | undefined,
  health: HealthAddress | undefined,
): { readonly number: number; readonly finding: Finding } {
  const published = publishedPorts(service).filter((port) => !debugPorts.has(port));
  const [first] = published;
  if (first !== undefined && published.length === 1) {
    return { number: first, finding: found(`${name} publishes port ${first}`) };
  }
  if (first !== undefined) {
    const others = published.slice(1).join(', ');
    return {
      number: first,
      finding: guessed(
        `${name} answers on port ${first}, the first that it publishes (the others: ${others})`,
      ),
    };
  }
  const inside = service.expose.flatMap((text) => portOf(text) ?? [])[0] ?? exposed;
  if (inside !== undefined) return { number: inside, finding: found(`${name} exposes port ${inside}`) };
  if (health?.port !== undefined) {
    return {
      number: health.port,
      finding: guessed(`${name} answers on port ${health.port}, because its health check uses that port`),
    };
  }
  return { number: 8080, finding: guessed(`${name} answers on port 8080, because ${file} names no port`) };
}

function readyFor(
  health: HealthAddress | undefined,
  port: number,
  inSource: string | undefined,
  routes: readonly string[],
): HealthAddress & { readonly port: number; readonly finding: Finding } {
  if (health !== undefined) {
    const { path } = health;
    return {
      port: health.port ?? port,
      path,
      finding: found(`ready once ${path} answers 2xx, as in its health check`),
    };
  }
  const path = inSource ?? routes[0] ?? '/';
  if (inSource !== undefined) {
    return {
      port,
      path,
      finding: found(`ready once ${path} answers 2xx, because its source names that path`),
    };
  }
  return {
    port,
    path,
    finding: guessed(`ready once ${path} answers 2xx, because no health check requests a path`),
  };
}
