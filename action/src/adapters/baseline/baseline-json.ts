import { z } from 'zod';
import {
  type Baseline,
  type BaselineRead,
  baselineSchema,
  baselineSchemaVersion,
} from '../../model/baseline.ts';
import { type Pin, pinSchema, pinSchemaVersion } from '../../model/pin.ts';
import { type Run, runSchema, runSchemaVersion } from '../../model/run.ts';

type Unreadable = Extract<BaselineRead, { kind: 'corrupt' | 'newer' | 'older' }>;
type Parsed<T> = { readonly kind: 'parsed'; readonly value: T } | Unreadable;

/** An object with a schema number, and the number it should have. */
interface Versioned {
  readonly path: string;
  readonly value: unknown;
  readonly known: number;
}

/** Reads the text of a whole baseline. Every text gives an answer: found, corrupt, newer or older. */
export function parseBaseline(text: string, place: string): BaselineRead {
  const parsed = parseStored(text, place, baselineSchema, (data) => {
    const runs = fieldOf(data, 'runs');
    return [
      { path: 'schema', value: data, known: baselineSchemaVersion },
      ...(Array.isArray(runs) ? runs : []).map((value, index) => ({
        path: `runs[${index}].schema`,
        value,
        known: runSchemaVersion,
      })),
    ];
  });
  return parsed.kind === 'parsed' ? { kind: 'found', baseline: parsed.value } : parsed;
}

/** Reads the text of one run. Every text gives an answer. */
export function parseRun(text: string, place: string): Parsed<Run> {
  return parseStored(text, place, runSchema, (value) => [{ path: 'schema', value, known: runSchemaVersion }]);
}

/** Reads the text of a pin. Every text gives an answer. */
export function parsePin(text: string, place: string): Parsed<Pin> {
  return parseStored(text, place, pinSchema, (value) => [
    { path: 'schema', value, known: pinSchemaVersion },
    { path: 'run.schema', value: fieldOf(value, 'run'), known: runSchemaVersion },
  ]);
}

const markerSchema = z.strictObject({ schema: z.literal(baselineSchemaVersion) });
type Marker = z.infer<typeof markerSchema>;

/** Reads the file that names the schema of a folder of runs. Every text gives an answer. */
export function parseMarker(text: string, place: string): Parsed<Marker> {
  return parseStored(text, place, markerSchema, (value) => [
    { path: 'schema', value, known: baselineSchemaVersion },
  ]);
}

// None of these texts ends with a line break, so a text that was cut off anywhere is invalid JSON.

/** One line per run, so that a diff shows each changed run as one line. */
export function baselineText({ schema, runs }: Baseline): string {
  return `{"schema":${schema},"runs":[\n${runs.map(runText).join(',\n')}\n]}`;
}

export function runText(run: Run): string {
  return JSON.stringify(run);
}

export function pinText(pin: Pin): string {
  return JSON.stringify(pin);
}

export function markerText(): string {
  return JSON.stringify({ schema: baselineSchemaVersion } satisfies Marker);
}

function parseStored<T>(
  text: string,
  place: string,
  schema: z.ZodType<T>,
  versionsOf: (data: unknown) => readonly Versioned[],
): Parsed<T> {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return {
      kind: 'corrupt',
      place: `${place}:${damagedLine(text)}`,
      cause: text.trim() === '' ? 'the file is empty' : 'the JSON ends too early or is damaged here',
    };
  }
  for (const { path, value, known } of versionsOf(data)) {
    const version = fieldOf(value, 'schema');
    if (typeof version === 'number' && version !== known) {
      return { kind: version > known ? 'newer' : 'older', place: `${place} ${path}`, schema: version };
    }
  }
  const result = schema.safeParse(data);
  if (result.success) return { kind: 'parsed', value: result.data };
  const [issue] = result.error.issues;
  return {
    kind: 'corrupt',
    place: `${place} ${z.core.toDotPath(issue?.path ?? [])}`.trimEnd(),
    cause: issue?.message ?? 'the shape is not that of a baseline',
  };
}

function fieldOf(value: unknown, name: string): unknown {
  return new Map(Object.entries(value ?? {})).get(name);
}

function parseError(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return (error as SyntaxError).message;
  }
}

/** Offset of the first character that makes the JSON invalid, or the end if the text is too short. */
function damagedAt(text: string): number {
  const message = parseError(text);
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return Number(position);
  const noToken = (part: string) => parseError(part).startsWith('Unexpected token');
  if (!noToken(text)) return text.length;
  // This message has no position, so a binary search finds the shortest beginning that causes it.
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
function damagedLine(text: string): string {
  const before = text.slice(0, damagedAt(text)).split('\n');
  return `${before.length}:${(before.at(-1) ?? '').length + 1}`;
}
