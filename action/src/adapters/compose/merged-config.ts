import { z } from 'zod';
import { Fault } from '../../model/fault.ts';
import type { DockerCli } from './cli.ts';
import { explainError } from './failure.ts';

const portSchema = z.object({
  /** Within the container. */
  target: z.number(),
  /** On this machine: a number, or a range of which one is taken. None, or 0, if any free one will do. */
  published: z.string().optional(),
  protocol: z.string().default('tcp'),
});

/** A network or a volume. */
const resourceSchema = z.object({
  /** As the engine knows it: `<project>_<key>` unless the file names it. */
  name: z.string(),
  /** It belongs to somebody else. */
  external: z.boolean().default(false),
});

/** What `docker compose config` prints, as far as it is needed here: without what stands in a profile. */
const composeConfigSchema = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string().optional(),
      build: z.unknown().optional(),
      container_name: z.string().optional(),
      cpuset: z.string().optional(),
      environment: z.record(z.string(), z.string().nullable()).nullish(),
      depends_on: z.record(z.string(), z.object({ condition: z.string() })).nullish(),
      network_mode: z.string().optional(),
      networks: z.record(z.string(), z.unknown()).nullish(),
      ports: z.array(portSchema).nullish(),
      /** How many containers there are to be of it. */
      scale: z.number().optional(),
      deploy: z
        .object({
          replicas: z.number().optional(),
          restart_policy: z.object({ condition: z.string().default('any') }).nullish(),
        })
        .nullish(),
      restart: z.string().optional(),
      healthcheck: z.object({ disable: z.boolean().default(false) }).nullish(),
    }),
  ),
  networks: z.record(z.string(), resourceSchema).default({}),
  volumes: z.record(z.string(), resourceSchema).default({}),
});
export type ComposeConfig = z.output<typeof composeConfigSchema>;

/** A compose file with its variables filled in. */
export interface ComposeFile {
  readonly config: ComposeConfig;
  /** Those that a container is made of: not those with no replicas. */
  readonly services: readonly string[];
  /** Services that another one waits for the end of: they run once and end with 0. */
  readonly oneShot: ReadonlySet<string>;
  /** Services that are started again once they end, or that have a health check: they are to run on. */
  readonly lasting: ReadonlySet<string>;
  /** By service. */
  readonly images: ReadonlyMap<string, string>;
  /** Services whose image is built from this checkout, be it for another service. */
  readonly built: ReadonlySet<string>;
  /** Ports that a service listens on within its container and publishes. */
  readonly ports: ReadonlyMap<string, readonly number[]>;
  /** Environment of all the services together, to find secrets in. */
  readonly environments: readonly Readonly<Record<string, string | null>>[];
}

/** Lets Compose read its file, so that variables, includes and extensions mean what they mean to it. */
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
    const lines = stderr.trim().split('\n');
    throw new Fault(
      explainError(stderr) ?? {
        code: 'E_COMPOSE_FILE',
        kind: 'usage',
        place: path,
        cause: lines.at(-1) ?? 'Compose does not accept the file and does not say why',
        nextStep: 'mend the file; `docker compose config` says the same',
      },
    );
  }
  const config = composeConfigSchema.parse(JSON.parse(stdout));
  const all = Object.entries(config.services);
  const services = all.filter(([, { scale, deploy }]) => (scale ?? deploy?.replicas) !== 0);
  const imageOf = (name: string, image: string | undefined) => image ?? `${project}-${name}`;
  const images = new Map(services.map(([name, { image }]) => [name, imageOf(name, image)]));
  const builtImages = new Set(
    all.flatMap(([name, { build, image }]) => (build == null ? [] : imageOf(name, image))),
  );
  return {
    config,
    services: services.map(([name]) => name),
    oneShot: new Set(
      services.flatMap(([, { depends_on: dependencies }]) =>
        Object.entries(dependencies ?? {})
          .filter(([, { condition }]) => condition === 'service_completed_successfully')
          .map(([name]) => name),
      ),
    ),
    lasting: new Set(
      services
        .filter(
          ([, { restart, deploy, healthcheck }]) =>
            ['always', 'unless-stopped'].includes(restart ?? '') ||
            deploy?.restart_policy?.condition === 'any' ||
            healthcheck?.disable === false,
        )
        .map(([name]) => name),
    ),
    images,
    built: new Set([...images].filter(([, image]) => builtImages.has(image)).map(([name]) => name)),
    ports: new Map(services.map(([name, { ports }]) => [name, (ports ?? []).map(({ target }) => target)])),
    environments: all.map(([, { environment }]) =>
      // Compose prints its own escape of the dollar sign.
      Object.fromEntries(
        Object.entries(environment ?? {}).map(([name, value]) => [
          name,
          value?.replaceAll('$$', '$') ?? null,
        ]),
      ),
    ),
  };
}

/** The file with other names for some of its images. */
export function withImages(file: ComposeFile, names: ReadonlyMap<string, string>): ComposeFile {
  return {
    ...file,
    images: new Map([...file.images].map(([service, image]) => [service, names.get(image) ?? image])),
  };
}

/** Throws a Fault if the service is not in the file, or does not publish one of the ports. */
export function requirePorts(
  file: ComposeFile,
  path: string,
  service: string,
  ports: readonly number[],
): void {
  if (!file.services.includes(service)) {
    throw new Fault({
      code: 'E_COMPOSE_SERVICE',
      kind: 'usage',
      place: path,
      cause: `there is no service ${service}; there are ${file.services.join(', ')}`,
      nextStep:
        'correct the name in `stack.compose`, or add the service; one of a profile or with no replicas is not started',
    });
  }
  const missing = ports.find((port) => !file.ports.get(service)?.includes(port));
  if (missing === undefined) return;
  throw new Fault({
    code: 'E_COMPOSE_PORT',
    kind: 'usage',
    place: path,
    cause: `the service ${service} does not publish port ${missing}`,
    nextStep: `add \`ports: ["127.0.0.1::${missing}"]\` to it, which takes a free port of this machine`,
  });
}
