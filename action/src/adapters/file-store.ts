import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { BaselineStore } from '../measure/ports.ts';
import {
  type Baseline,
  type BaselineRead,
  baselineSchema,
  baselineSchemaVersion,
} from '../model/baseline.ts';
import { Fault } from '../model/fault.ts';
import { type Fingerprint, type Latency, type Run, runSchemaVersion } from '../model/run.ts';
import { temporaryPrefix, writeFault, writeFileAtomically } from './atomic-file.ts';
import { type LockHolder, takeLock } from './file-lock.ts';

/** Writing takes milliseconds; a holder that takes longer than this is stuck. */
const defaultLockWaitMs = 30_000;

function showPath(path: string): string {
  const fromHere = relative(process.cwd(), path);
  return fromHere.startsWith('..') ? path : fromHere;
}

function versionOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'schema' in value ? value.schema : undefined;
}

/** The schema number that is beyond ours, with its place, of the baseline or of a run in it. */
function newerPart(data: unknown): { readonly path: string; readonly schema: number } | undefined {
  const own = versionOf(data);
  if (typeof own === 'number' && own > baselineSchemaVersion) return { path: 'schema', schema: own };
  const runs = typeof data === 'object' && data !== null && 'runs' in data ? data.runs : undefined;
  for (const [index, run] of (Array.isArray(runs) ? runs : []).entries()) {
    const version = versionOf(run);
    if (typeof version === 'number' && version > runSchemaVersion) {
      return { path: `runs[${index}].schema`, schema: version };
    }
  }
  return undefined;
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

/** Reads the text of a baseline file. Total: every text is one of found, corrupt and newer. */
export function parseBaseline(text: string, place: string): BaselineRead {
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
  const newer = newerPart(data);
  if (newer !== undefined) return { kind: 'newer', place: `${place} ${newer.path}`, schema: newer.schema };
  const result = baselineSchema.safeParse(data);
  if (result.success) return { kind: 'found', baseline: result.data };
  const [issue] = result.error.issues;
  return {
    kind: 'corrupt',
    place: `${place} ${pathText(issue?.path ?? [])}`.trimEnd(),
    cause: issue?.message ?? 'the shape is not that of a baseline',
  };
}

/** One line a run, so that a change shows as one. Ends without a line break: cut off anywhere, it is no JSON. */
function baselineText({ schema, runs }: Baseline): string {
  return `{"schema":${schema},"runs":[\n${runs.map((run) => JSON.stringify(run)).join(',\n')}\n]}`;
}

function fingerprintKey(fingerprint: Fingerprint): string {
  const versions = Object.entries(fingerprint.versions).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(
    Object.entries({ ...fingerprint, versions }).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function withoutHistogram<T extends { readonly latency: Latency }>(measured: T): T {
  const { histogram: _, ...latency } = measured.latency;
  return { ...measured, latency };
}

/** Histograms are nine tenths of a run, and no comparison reads them. */
function withoutHistograms(run: Run): Run {
  return {
    ...run,
    cells: run.cells.map((cell) => ({
      ...cell,
      blocks: cell.blocks.map((block) => ({
        ...withoutHistogram(block),
        endpoints: block.endpoints.map(withoutHistogram),
      })),
    })),
  };
}

/** The runs with one more, oldest first, and of every fingerprint only the newest `keep`. A run that is there already is replaced. */
function withRun(runs: readonly Run[], run: Run, keep: number): Run[] {
  const all = [...runs.filter(({ id }) => id !== run.id), withoutHistograms(run)].toSorted(
    (a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt),
  );
  const seen = new Map<string, number>();
  return all
    .toReversed()
    .filter(({ fingerprint }) => {
      const key = fingerprintKey(fingerprint);
      const count = (seen.get(key) ?? 0) + 1;
      seen.set(key, count);
      return count <= keep;
    })
    .toReversed();
}

function refusal(read: Extract<BaselineRead, { kind: 'corrupt' | 'newer' }>): Fault {
  return read.kind === 'corrupt'
    ? new Fault({
        code: 'E_BASELINE_CORRUPT',
        kind: 'measurement',
        place: read.place,
        cause: `${read.cause}; it was left as it is`,
        nextStep: 'restore the file from a copy, or move it away to start from nothing',
      })
    : new Fault({
        code: 'E_BASELINE_NEWER',
        kind: 'measurement',
        place: read.place,
        cause: `a newer perf-gate wrote it (schema ${read.schema}, this one reads up to ${baselineSchemaVersion}); it was left as it is`,
        nextStep: 'update perf-gate, or move the file away to start from nothing',
      });
}

/** Keeps the baseline in `baseline.json` in a folder of this machine. Safe for several checks at once. */
function locked(place: string, holder: LockHolder | undefined): Fault {
  return new Fault({
    code: 'E_BASELINE_LOCKED',
    kind: 'measurement',
    place,
    cause:
      holder === undefined
        ? 'Another check is writing, or was stopped while it began to.'
        : `Process ${holder.pid} on ${holder.host} has been writing since ${holder.since}.`,
    nextStep: 'Wait for it to end. If it no longer runs, delete this file.',
  });
}

export function createFileStore(directory: string, lockWaitMs = defaultLockWaitMs): BaselineStore {
  const path = join(directory, 'baseline.json');
  const place = showPath(path);

  async function read(): Promise<BaselineRead> {
    try {
      return parseBaseline(await readFile(path, 'utf8'), place);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return { kind: 'missing' };
      throw new Fault(
        {
          code: 'E_BASELINE_READ',
          kind: 'measurement',
          place,
          cause: `the file cannot be read (${code ?? String(error)})`,
          nextStep: 'make it readable for this user',
        },
        { cause: error },
      );
    }
  }

  /** Called under the lock: whoever left these was stopped while writing. */
  async function removeLeftovers(): Promise<void> {
    const prefix = temporaryPrefix(path);
    for (const name of await readdir(dirname(path))) {
      if (name.startsWith(prefix) && name.endsWith('.tmp'))
        await rm(join(dirname(path), name), { force: true });
    }
  }

  return {
    place,
    read,
    async append(run, keep) {
      try {
        await mkdir(directory, { recursive: true });
        const release = await takeLock(`${path}.lock`, lockWaitMs, (holder) =>
          locked(`${path}.lock`, holder),
        );
        try {
          const present = await read();
          if (present.kind === 'corrupt' || present.kind === 'newer') throw refusal(present);
          await removeLeftovers();
          const runs = present.kind === 'found' ? present.baseline.runs : [];
          const baseline: Baseline = { schema: baselineSchemaVersion, runs: withRun(runs, run, keep) };
          await writeFileAtomically(path, baselineText(baseline));
          return baseline;
        } finally {
          await release();
        }
      } catch (error) {
        throw writeFault(error, place, 'E_BASELINE_WRITE');
      }
    },
  };
}
