import { type Document, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { Fault } from '../../model/fault.ts';
import { manifestText, type Repository } from '../repository.ts';
import { portOf } from '../service/port.ts';

/** A file for CI comes first. The others follow in the order of Compose. */
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
const wordsOrText = z.union([z.string(), z.array(z.string()).transform((words) => words.join(' '))]);
/** The keys of a service that init reads. Compose checks the rest. */
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
  command: wordsOrText.catch('').default(''),
  /** Null means that Compose takes the value from the shell. */
  environment: z
    .union([
      z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String).nullable()),
      z.array(z.string()).transform((lines) => Object.fromEntries(lines.map(assignment))),
    ])
    .catch({})
    .default({}),
  env_file: z
    .unknown()
    .optional()
    .transform((value) => value !== undefined),
  networks: z
    .union([z.array(z.string()), z.record(z.string(), z.unknown()).transform((all) => Object.keys(all))])
    .catch([])
    .default([]),
  healthcheck: z.object({ test: wordsOrText }).optional().catch(undefined),
});
/** Only names that Compose accepts may reach files and messages. */
const serviceName = z.string().regex(/^[A-Za-z0-9][\w.-]{0,99}$/);
const fileSchema = z.object({ services: z.record(serviceName, serviceSchema) });

/** A service as the file describes it. */
export type ComposedService = z.output<typeof serviceSchema>;

/** A file and all its services, including those of profiles. */
export interface ComposeText {
  readonly file: string;
  readonly services: Readonly<Record<string, ComposedService>>;
}

/** The services that `docker compose up` starts without a profile. */
export function startedServices({ services }: ComposeText): readonly (readonly [string, ComposedService])[] {
  return Object.entries(services).filter(([, { profiles }]) => profiles.length === 0);
}

/** The compose file that runs the repository; undefined if it has none. */
export function readComposeFile(repository: Repository): ComposeText | undefined {
  const file = names.find((name) => repository.paths.includes(name));
  return file === undefined ? undefined : { file, services: readServices(repository, file) };
}

function assignment(line: string): readonly [name: string, value: string | null] {
  const at = line.indexOf('=');
  return at === -1 ? [line, null] : [line.slice(0, at), line.slice(at + 1)];
}

function readServices(repository: Repository, file: string): ComposeText['services'] {
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
    // The file has an alias without its anchor, or too many aliases.
    throw composeFault(file, (cause as Error).message);
  }
  const read = fileSchema.safeParse(data);
  if (read.success) return read.data.services;
  throw composeFault(
    file,
    'the file has no `services` mapping from names (letters, digits, . _ -) to services',
  );
}

function parsed(file: string, text: string, lineCounter: LineCounter): Document {
  try {
    return parseDocument(text, { lineCounter, prettyErrors: false, logLevel: 'error', merge: true });
  } catch (error) {
    // The parser recurses, so thousands of levels exhaust its stack.
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
    nextStep: 'fix the file; `docker compose config` checks it too',
  });
}

/** Ports in the container, which follow the last colon. */
export function publishedPorts({ ports }: Pick<ComposedService, 'ports'>): readonly number[] {
  return ports.flatMap((text) => {
    const target = withDefaults(text)
      .replace(/\/(tcp|http)$/, '')
      .split(':')
      .at(-1);
    return portOf(target) ?? [];
  });
}

/** Replaces `${PORT:-8080}` with its default, as Compose does if PORT is not set. */
export function withDefaults(text: string): string {
  return text.replaceAll(/\$\{[A-Za-z_]\w{0,80}:?-([^{}]{0,80})\}/g, '$1');
}

/** Passwords, tokens and keys without which Compose refuses to start. */
export function requiredSecrets({ paths, text }: Repository, file: string): readonly string[] {
  if (paths.includes('.env')) return [];
  const required = (text(file) ?? '').matchAll(/(?<!\$)\$\{([A-Z_][A-Z0-9_]{0,80}):?\?/g);
  return [...new Set([...required].map(([, name = '']) => name))].filter((name) =>
    /PASSWORD|SECRET|TOKEN|_KEY$/.test(name),
  );
}
