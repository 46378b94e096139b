import type { ConfigText } from '../../model/config.ts';
import { edit, type Finding, found, guessed } from '../finding.ts';
import { type Repository, serviceSources } from '../repository.ts';
import { readDockerfile } from '../service/dockerfile.ts';
import { jarBuild } from '../service/jar-build.ts';
import { portOf } from '../service/port.ts';
import { type HealthAddress, healthAddress, readinessPath } from '../service/readiness.ts';
import { routesIn } from '../service/routes.ts';
import { serviceFault } from '../service/service-fault.ts';
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

/** A service of a compose file, and how it is reached. */
export interface ComposeService {
  readonly stack: ComposeStack;
  readonly routes: readonly string[];
  /** Major version of the JDK that an image needs before it is built; undefined if none does. */
  readonly jdk: string | undefined;
  readonly findings: readonly Finding[];
}

/**
 * The service of the compose file that answers HTTP, told by what is built here and what it publishes; undefined if
 * none of them can be it.
 */
export function composeService(
  repository: Repository,
  compose: ComposeText,
  asked: string | undefined,
): ComposeService | undefined {
  const chosen = choose(compose, asked);
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
      found(`${file}: the service ${name}${service.build === undefined ? '' : ' is built here'}`),
      ...jars.findings,
      port.finding,
      ready.finding,
      ...(secrets.length === 0
        ? []
        : [guessed(`random values for ${secrets.join(', ')}: ${file} wants them, and no .env gives them`)]),
      ...unpublished.map((one) =>
        edit(`publish port ${one} of ${name} in ${file}: \`ports: ["127.0.0.1::${one}"]\``),
      ),
    ],
  };
}

type Named = readonly [name: string, service: ComposedService];

function choose(compose: ComposeText, asked: string | undefined): Named | undefined {
  const started = startedServices(compose);
  const named = started.find(([name]) => name === asked);
  if (named !== undefined) return named;
  const own = started.filter(([, service]) => !isBacking(service));
  const reachable = (all: readonly Named[]) =>
    all.filter(([, service]) => publishedPorts(service).length > 0 || service.expose.length > 0);
  const built = own.filter(([, { build }]) => build !== undefined);
  // What is built here and published; then what is only built here; then what comes from elsewhere.
  const candidates = [reachable(built), built, reachable(own)].find((some) => some.length > 0) ?? [];
  const [only, ...others] = candidates;
  if (only === undefined) return undefined;
  if (asked === undefined && others.length === 0) return only;
  throw serviceFault(
    compose.file,
    (asked === undefined ? candidates : started).map(([name]) => name),
    asked,
  );
}

/** The Dockerfile that a service is built from, with where it stands and what it copies from. */
function imageBuildOf(repository: Repository, { build }: ComposedService) {
  if (build === undefined) return undefined;
  const relative = (path: string) =>
    path
      .split('/')
      .filter((part) => !['', '.'].includes(part))
      .join('/');
  const dockerfile = relative(`${build.context}/${build.dockerfile ?? 'Dockerfile'}`);
  const text = repository.text(dockerfile);
  return text === undefined
    ? undefined
    : { ...readDockerfile(text), dockerfile, context: relative(build.context) };
}

function healthOf(
  { healthcheck }: ComposedService,
  dockerPath: string | undefined,
): HealthAddress | undefined {
  const own = healthcheck === undefined ? undefined : healthAddress(withDefaults(healthcheck.test));
  return own ?? (dockerPath === undefined ? undefined : { port: undefined, path: dockerPath });
}

/** What is published to look into a service, and not to ask it. */
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
      finding: guessed(`${name} answers on port ${first}: the first that it publishes, before ${others}`),
    };
  }
  const inside = service.expose.flatMap((text) => portOf(text) ?? [])[0] ?? exposed;
  if (inside !== undefined) return { number: inside, finding: found(`${name} exposes port ${inside}`) };
  if (health?.port !== undefined) {
    return {
      number: health.port,
      finding: guessed(`${name} answers on port ${health.port}: its health check asks there`),
    };
  }
  return { number: 8080, finding: guessed(`${name} answers on port 8080: ${file} does not say`) };
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
      finding: found(`its health check: ready once ${path} answers 2xx`),
    };
  }
  const path = inSource ?? routes[0] ?? '/';
  if (inSource !== undefined) {
    return { port, path, finding: found(`${path} in its source: ready once that answers 2xx`) };
  }
  return {
    port,
    path,
    finding: guessed(`ready once ${path} answers 2xx: it has no health check that asks an address`),
  };
}
