import { z } from 'zod';
import { Fault } from '../../model/fault.ts';
import type { DockerCli } from './docker.ts';
import { explainError } from './explain.ts';

const portSchema = z.object({
  /** Within the container. */
  target: z.number(),
  /** On this machine: a number, or a range to pick one from. Absent or 0 for any free port. */
  published: z.string().optional(),
  protocol: z.string().default('tcp'),
});

/** A network or a volume. */
const resourceSchema = z.object({
  /** As the engine knows it: `<project>_<key>` unless the file names it. */
  name: z.string(),
  /** True if another stack owns it. */
  external: z.boolean().default(false),
});

const serviceSchema = z.object({
  image: z.string().optional(),
  build: z.unknown().optional(),
  container_name: z.string().optional(),
  cpuset: z.string().optional(),
  environment: z.record(z.string(), z.string().nullable()).nullish(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).nullish(),
  network_mode: z.string().optional(),
  networks: z.record(z.string(), z.unknown()).nullish(),
  ports: z.array(portSchema).nullish(),
  profiles: z.array(z.string()).nullish(),
  /** Number of containers. */
  scale: z.number().optional(),
  deploy: z
    .object({
      replicas: z.number().optional(),
      resources: z.object({ limits: z.object({ cpus: z.unknown() }).nullish() }).nullish(),
      restart_policy: z.object({ condition: z.string().default('any') }).nullish(),
    })
    .nullish(),
  restart: z.string().optional(),
  volumes: z
    .array(
      z.object({
        type: z.string(),
        source: z.string().default(''),
        target: z.string(),
        read_only: z.boolean().default(false),
      }),
    )
    .nullish(),
  healthcheck: z.object({ disable: z.boolean().default(false) }).nullish(),
});

/** The part of the output of `docker compose config` that the gate reads. It leaves out services of a profile. */
const composeConfigSchema = z.object({
  services: z.record(z.string(), serviceSchema),
  networks: z.record(z.string(), resourceSchema).default({}),
  volumes: z.record(z.string(), resourceSchema).default({}),
});
export type ComposeConfig = z.output<typeof composeConfigSchema>;
type Service = z.output<typeof serviceSchema>;

/** A compose file with its variables filled in. */
export interface ComposeFile {
  readonly config: ComposeConfig;
  /** Services with at least one container. */
  readonly services: readonly string[];
  /** Services whose end another service waits for: they run once and end with 0. */
  readonly oneShot: ReadonlySet<string>;
  /** Services with a restart policy or a health check: they keep running. */
  readonly lasting: ReadonlySet<string>;
  /** By service. */
  readonly images: ReadonlyMap<string, string>;
  /** Services whose image this checkout builds, possibly for another service. */
  readonly built: ReadonlySet<string>;
  /** Environments of all services, which may hold secrets. */
  readonly environments: readonly Readonly<Record<string, string | null>>[];
}

/** Lets Compose read its file, so that variables, includes and extensions have their usual meaning. */
export async function readComposeFile(
  docker: DockerCli,
  project: string,
  path: string,
  signal: AbortSignal,
): Promise<ComposeFile> {
  const { code, stdout, stderr } = await docker.run(
    ['compose', '-p', project, '-f', path, 'config', '--format', 'json'],
    { signal },
  );
  if (code !== 0) {
    throw new Fault(
      explainError(stderr) ?? {
        code: 'E_COMPOSE_FILE',
        kind: 'usage',
        place: path,
        cause: stderr.trim().split('\n').at(-1) || 'Compose rejects the file and gives no reason',
        nextStep: 'fix the file; `docker compose config` reports the same error',
      },
    );
  }
  const config = composeConfigSchema.parse(JSON.parse(stdout));
  const all = Object.entries(config.services);
  const services = all.filter(([, { scale, deploy }]) => (scale ?? deploy?.replicas) !== 0);
  const imageOf = ([name, { image }]: [string, Service]) => image ?? `${project}-${name}`;
  const builtImages = new Set(all.filter(([, { build }]) => build != null).map(imageOf));
  const dependencies = services.flatMap(([, { depends_on: others }]) => Object.entries(others ?? {}));
  const namesOf = (entries: readonly (readonly [string, unknown])[]) =>
    new Set(entries.map(([name]) => name));
  return {
    config,
    services: services.map(([name]) => name),
    oneShot: namesOf(
      dependencies.filter(([, { condition }]) => condition === 'service_completed_successfully'),
    ),
    lasting: namesOf(services.filter(([, service]) => isLasting(service))),
    images: new Map(services.map((entry) => [entry[0], imageOf(entry)])),
    built: namesOf(services.filter((entry) => builtImages.has(imageOf(entry)))),
    environments: all.map(([, { environment }]) => unescaped(environment ?? {})),
  };
}

function isLasting({ restart, deploy, healthcheck }: Service): boolean {
  return (
    ['always', 'unless-stopped'].includes(restart ?? '') ||
    deploy?.restart_policy?.condition === 'any' ||
    healthcheck?.disable === false
  );
}

/** Compose prints a dollar sign as two. */
function unescaped(environment: NonNullable<Service['environment']>): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, value?.replaceAll('$$', '$') ?? null]),
  );
}

/** The file with some of its images renamed. */
export function withImages(file: ComposeFile, names: ReadonlyMap<string, string>): ComposeFile {
  return {
    ...file,
    images: new Map([...file.images].map(([service, image]) => [service, names.get(image) ?? image])),
  };
}

/** Throws a Fault if the file lacks the service, or the service does not publish one of the ports. */
export function requirePorts(
  { config, services }: ComposeFile,
  path: string,
  service: string,
  ports: readonly number[],
): void {
  if (!services.includes(service)) {
    throw new Fault({
      code: 'E_COMPOSE_SERVICE',
      kind: 'usage',
      place: path,
      cause: `the service ${service} does not exist; the file starts ${services.join(', ')}`,
      nextStep:
        'correct the name in `stack.compose`, or add the service; it needs a replica and must not be in a profile',
    });
  }
  const published = config.services[service]?.ports ?? [];
  const missing = ports.find((port) => !published.some(({ target }) => target === port));
  if (missing === undefined) return;
  throw new Fault({
    code: 'E_COMPOSE_PORT',
    kind: 'usage',
    place: path,
    cause: `the service ${service} does not publish port ${missing}`,
    nextStep: `add \`ports: ["127.0.0.1::${missing}"]\` to it, which takes a free port of this machine`,
  });
}
