import { type Document, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import type { ConfigText } from '../model/config.ts';
import { Fault } from '../model/fault.ts';
import { readDockerfile } from './dockerfile.ts';
import { edit, type Finding, found, guessed } from './finding.ts';
import { portOf } from './port.ts';
import { type HealthAddress, healthAddress, readinessPath } from './readiness.ts';
import { manifestText, type Repository, sourceTexts } from './repository.ts';
import { routesIn } from './routes.ts';
import { serviceFault } from './service-fault.ts';

type ComposeStack = NonNullable<NonNullable<ConfigText['stack']>['compose']>;

/** A service of a compose file, and how it is reached. */
export interface ComposeService {
  readonly stack: ComposeStack;
  readonly routes: readonly string[];
  readonly findings: readonly Finding[];
}

/** One made for CI first; then the order that Compose itself has. */
const names = [
  'docker-compose.ci.yml',
  'docker-compose.ci.yaml',
  'compose.ci.yml',
  'compose.ci.yaml',
  'compose.yaml',
  'compose.yml',
  'docker-compose.yaml',
  'docker-compose.yml',
];
const maxAliasCount = 100;

const anyText = z.union([z.string(), z.number()]).transform(String);
/** What is asked of a service; all else in it is Compose's own business. */
const serviceSchema = z.object({
  image: z.string().optional().catch(undefined),
  build: z
    .union([
      z.string().transform((context) => ({ context, dockerfile: undefined })),
      z.object({ context: z.string().default('.'), dockerfile: z.string().optional() }),
    ])
    .optional()
    .catch(undefined),
  ports: z
    .array(z.union([anyText, z.object({ target: anyText }).transform(({ target }) => target)]))
    .catch([])
    .default([]),
  expose: z.array(anyText).catch([]).default([]),
  profiles: z.array(z.string()).catch([]).default([]),
  healthcheck: z
    .object({ test: z.union([z.string(), z.array(z.string()).transform((words) => words.join(' '))]) })
    .optional()
    .catch(undefined),
});
/** The names that Compose takes, so that nothing else is ever written or said. */
const serviceName = z.string().regex(/^[A-Za-z0-9][\w.-]{0,99}$/);
const fileSchema = z.object({ services: z.record(serviceName, serviceSchema) });

type Read = z.output<typeof serviceSchema>;

/** What stands around a service rather than being one. */
const backingImages =
  /^(mariadb|mysql|percona|postgres(ql)?|postgis|timescaledb|mongo(db)?|redis(-stack)?|valkey|memcached|dragonfly|.*kafka|redpanda|.*zookeeper|rabbitmq|nats|activemq.*|elasticsearch|opensearch|kibana|logstash|minio|localstack|dynamodb-local|cassandra|scylla|clickhouse.*|neo4j|etcd|consul|vault|keycloak|prometheus|grafana|loki|tempo|influxdb|telegraf|jaeger|all-in-one|zipkin|.*otel.*|opentelemetry-collector.*|.*-?exporter|mailhog|mailpit|maildev|adminer|phpmyadmin|pgadmin4?|traefik|haproxy|envoy|caddy|nginx|flyway|liquibase|busybox)$/;

export function composeFileOf({ paths }: Repository): string | undefined {
  return names.find((name) => paths.includes(name));
}

/** The service of the compose file that answers HTTP, told by what is built here and what it publishes. */
export function composeService(
  repository: Repository,
  file: string,
  asked: string | undefined,
): ComposeService {
  const services = readServices(repository, file);
  const [name, service] = choose(file, services, asked);
  const docker = dockerfileOf(repository, service);
  const health = healthOf(service, docker?.healthPath);
  const port = portFor(file, name, service, docker?.port, health);
  const published = publishedPorts(service);
  const sources = sourceTexts(repository, ['.js', '.mjs', '.ts', '.py', '.go', '.rs', '.rb', '.java', '.kt']);
  const routes = routesIn(sources);
  const ready = readyFor(health, port.number, readinessPath(sources), routes);
  const secrets = requiredVariables(repository, file);
  const unpublished = [...new Set([port.number, ready.port])].filter((one) => !published.includes(one));
  return {
    stack: {
      file: `../${file}`,
      ...(Object.values(services).some(({ build }) => build !== undefined) ? { buildImages: true } : {}),
      service: name,
      port: port.number,
      ready: { port: ready.port, path: ready.path },
      ...(secrets.length === 0 ? {} : { secrets: [...secrets] }),
    },
    routes: routes.length > 0 ? routes : [ready.port === port.number ? ready.path : '/'],
    findings: [
      found(`${file}: the service ${name}${service.build === undefined ? '' : ' is built here'}`),
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

function readServices(repository: Repository, file: string): Readonly<Record<string, Read>> {
  const lines = new LineCounter();
  const document = parsed(file, manifestText(repository, file) ?? '', lines);
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw composeFault(`${file}:${line}:${col}`, error.message);
  }
  let data: unknown;
  try {
    data = document.toJS({ maxAliasCount });
  } catch (cause) {
    // An alias without its anchor, or too many of them.
    throw composeFault(file, (cause as Error).message);
  }
  const read = fileSchema.safeParse(data);
  if (read.success) return read.data.services;
  throw composeFault(file, 'it has no mapping `services` of names (letters, digits, . _ -) to services');
}

function parsed(file: string, text: string, lineCounter: LineCounter): Document {
  try {
    return parseDocument(text, { lineCounter, prettyErrors: false, logLevel: 'error', merge: true });
  } catch (error) {
    // The parser recurses: thousands of levels exhaust its stack.
    if (error instanceof RangeError) throw composeFault(file, 'the nesting is too deep');
    throw error;
  }
}

function composeFault(place: string, cause: string): Fault {
  return new Fault({
    code: 'E_COMPOSE_FILE',
    kind: 'usage',
    place,
    cause,
    nextStep: 'mend the file; `docker compose config` reads it too',
  });
}

function choose(
  file: string,
  services: Readonly<Record<string, Read>>,
  asked: string | undefined,
): readonly [string, Read] {
  const started = Object.entries(services).filter(([, { profiles }]) => profiles.length === 0);
  if (asked !== undefined) {
    const named = started.find(([name]) => name === asked);
    if (named !== undefined) return named;
    throw serviceFault(
      file,
      started.map(([name]) => name),
      asked,
    );
  }
  const own = started.filter(([, service]) => !isBacking(service));
  const reachable = (all: typeof own) =>
    all.filter(([, service]) => publishedPorts(service).length > 0 || service.expose.length > 0);
  const built = own.filter(([, { build }]) => build !== undefined);
  // What is built here and published; then what is only built here; then what comes from elsewhere.
  const candidates = [reachable(built), built, reachable(own)].find((some) => some.length > 0) ?? [];
  const [only, ...others] = candidates;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined)
    throw serviceFault(
      file,
      candidates.map(([name]) => name),
      undefined,
    );
  throw new Fault({
    code: 'E_INIT_SERVICE',
    kind: 'usage',
    place: file,
    cause: 'no service of it looks like one that answers HTTP: none is built here, none publishes a port',
    nextStep: `give yours \`ports: ["127.0.0.1::8080"]\` with its port, or name it: --service NAME`,
  });
}

function isBacking({ build, image }: Read): boolean {
  const name = image?.split('/').at(-1)?.split(/[:@]/)[0] ?? '';
  return build === undefined && backingImages.test(name);
}

/** The port within the container: what stands after the last colon. */
function publishedPorts({ ports }: Read): readonly number[] {
  return ports.flatMap((text) => {
    const target = withDefaults(text)
      .replace(/\/(tcp|http)$/, '')
      .split(':')
      .at(-1);
    return portOf(target) ?? [];
  });
}

/** `${PORT:-8080}` as Compose takes it where PORT is not set. */
function withDefaults(text: string): string {
  return text.replaceAll(/\$\{[A-Za-z_]\w{0,80}:?-([^{}]{0,80})\}/g, '$1');
}

function dockerfileOf(repository: Repository, { build }: Read) {
  if (build === undefined) return undefined;
  const path = `${build.context}/${build.dockerfile ?? 'Dockerfile'}`
    .split('/')
    .filter((part) => !['', '.'].includes(part));
  const text = repository.text(path.join('/'));
  return text === undefined ? undefined : readDockerfile(text);
}

function healthOf({ healthcheck }: Read, dockerPath: string | undefined): HealthAddress | undefined {
  const own = healthcheck === undefined ? undefined : healthAddress(withDefaults(healthcheck.test));
  return own ?? (dockerPath === undefined ? undefined : { port: undefined, path: dockerPath });
}

/** What is published to look into a service, and not to ask it. */
const debugPorts = new Set([5005, 5858, 9229, 2345]);

function portFor(
  file: string,
  name: string,
  service: Read,
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

/** Passwords and the like that Compose refuses to do without. */
function requiredVariables({ paths, text }: Repository, file: string): readonly string[] {
  if (paths.includes('.env')) return [];
  const required = (text(file) ?? '').matchAll(/(?<!\$)\$\{([A-Z_][A-Z0-9_]{0,80}):?\?/g);
  return [...new Set([...required].map(([, name = '']) => name))].filter((name) =>
    /PASSWORD|SECRET|TOKEN|_KEY$/.test(name),
  );
}
