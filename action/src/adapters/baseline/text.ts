import { z } from 'zod';
import {
  type Baseline,
  type BaselineRead,
  baselineSchema,
  baselineSchemaVersion,
} from '../../model/baseline.ts';
import { type Run, runSchema, runSchemaVersion } from '../../model/run.ts';

type Unreadable = Extract<BaselineRead, { kind: 'corrupt' | 'newer' | 'older' }>;
type Parsed<T> = { readonly kind: 'parsed'; readonly value: T } | Unreadable;

/** Reads the text of a whole baseline. Total: every text is found, corrupt, newer or older. */
export function parseBaseline(text: string, place: string): BaselineRead {
  const parsed = parseStored(text, place, baselineSchema, otherPartOfBaseline);
  return parsed.kind === 'parsed' ? { kind: 'found', baseline: parsed.value } : parsed;
}

/** Reads the text of one run. Total, as `parseBaseline`. */
export function parseRun(text: string, place: string): Parsed<Run> {
  return parseStored(text, place, runSchema, (data) => otherVersion(data, 'schema', runSchemaVersion));
}

const markerSchema = z.strictObject({ schema: z.literal(baselineSchemaVersion) });
type Marker = z.infer<typeof markerSchema>;

/** Reads the file that says which schema a folder of runs has. Total, as `parseBaseline`. */
export function parseMarker(text: string, place: string): Parsed<Marker> {
  return parseStored(text, place, markerSchema, (data) =>
    otherVersion(data, 'schema', baselineSchemaVersion),
  );
}

// None of these texts ends with a line break: cut off anywhere, it is no JSON.

/** One line a run, so that a change shows as one. */
export function baselineText({ schema, runs }: Baseline): string {
  return `{"schema":${schema},"runs":[\n${runs.map(runText).join(',\n')}\n]}`;
}

export function runText(run: Run): string {
  return JSON.stringify(run);
}

export function markerText(): string {
  return JSON.stringify({ schema: baselineSchemaVersion } satisfies Marker);
}

/** A schema number that is not ours, and where it stands. */
interface OtherVersion {
  readonly path: string;
  readonly schema: number;
  readonly known: number;
}

function parseStored<T>(
  text: string,
  place: string,
  schema: z.ZodType<T>,
  otherPart: (data: unknown) => OtherVersion | undefined,
): Parsed<T> {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return {
      kind: 'corrupt',
      place: `${place}:${jsonPlace(text)}`,
      cause: text.trim() === '' ? 'the file is empty' : 'the JSON ends too early or is damaged here',
    };
  }
  const other = otherPart(data);
  if (other !== undefined) {
    return {
      kind: other.schema > other.known ? 'newer' : 'older',
      place: `${place} ${other.path}`,
      schema: other.schema,
    };
  }
  const result = schema.safeParse(data);
  if (result.success) return { kind: 'parsed', value: result.data };
  const [issue] = result.error.issues;
  return {
    kind: 'corrupt',
    place: `${place} ${pathText(issue?.path ?? [])}`.trimEnd(),
    cause: issue?.message ?? 'the shape is not that of a baseline',
  };
}

function otherPartOfBaseline(data: unknown): OtherVersion | undefined {
  const own = otherVersion(data, 'schema', baselineSchemaVersion);
  if (own !== undefined) return own;
  const runs = typeof data === 'object' && data !== null && 'runs' in data ? data.runs : undefined;
  for (const [index, run] of (Array.isArray(runs) ? runs : []).entries()) {
    const other = otherVersion(run, `runs[${index}].schema`, runSchemaVersion);
    if (other !== undefined) return other;
  }
  return undefined;
}

function otherVersion(value: unknown, path: string, known: number): OtherVersion | undefined {
  const schema = typeof value === 'object' && value !== null && 'schema' in value ? value.schema : undefined;
  return typeof schema === 'number' && schema !== known ? { path, schema, known } : undefined;
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}

function parseError(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return (error as SyntaxError).message;
  }
}

/** Offset of the character at which the JSON stops making sense; the end if it ends too early. */
function damagedAt(text: string): number {
  const message = parseError(text);
  const told = /at position (\d+)/.exec(message)?.[1];
  if (told !== undefined) return Number(told);
  const noToken = (part: string) => parseError(part).startsWith('Unexpected token');
  if (!noToken(text)) return text.length;
  // This message has no position, so the shortest beginning that gives it is looked for by halving.
  let sound = 0;
  let damaged = text.length;
  while (damaged - sound > 1) {
    const middle = Math.floor((sound + damaged) / 2);
    if (noToken(text.slice(0, middle))) damaged = middle;
    else sound = middle;
  }
  return sound;
}

/** `line:column` of the damage. */
function jsonPlace(text: string): string {
  const before = text.slice(0, damagedAt(text)).split('\n');
  return `${before.length}:${(before.at(-1) ?? '').length + 1}`;
}
