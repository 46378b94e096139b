import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { LoadSink } from '../../measure/index.ts';
import { Fault } from '../../model/fault.ts';
import { CsvReader } from './csv.ts';
import { K6Log } from './log.ts';
import { passingOn } from './passing-on.ts';
import { K6Samples } from './samples.ts';

/** The first row of k6's output, and the first request in it. */
export interface CollectedStart {
  /** Tags that all rows have, such as `instance_id`. */
  readonly tags: Readonly<Record<string, string>>;
  /** When the request that ended first began and ended, in milliseconds since the epoch; absent without requests. */
  readonly first?: { readonly beganAtMs: number; readonly endedAtMs: number };
}

/** What a file of k6's output holds. */
export interface CollectedSamples {
  readonly requests: number;
  readonly failed: number;
  readonly firstError?: string;
}

/** Ignores all samples. */
const nowhere: LoadSink = {
  request: () => {},
  users: () => {},
  failedCheck: () => {},
  iteration: () => {},
  received: () => {},
  exception: () => {},
  metric: () => {},
  dropped: () => {},
};

/** Reads how k6's output begins. Undefined if the file is absent, empty, or ends within a row. */
export async function readStart(file: string): Promise<CollectedStart | undefined> {
  if (!(await endsWithRow(file))) return undefined;
  let first: CollectedStart['first'];
  const samples = new K6Samples(
    passingOn(nowhere, {
      request: (_, endedAtMs, durationMs) => {
        first ??= { beganAtMs: endedAtMs - durationMs, endedAtMs };
      },
    }),
  );
  let tags: string | undefined;
  const rows = new CsvReader((bytes, start, end) => {
    if (tags === undefined && rows.split(bytes, start, end)) {
      tags = bytes.toString('utf8', rows.start('extra_tags'), rows.end('extra_tags'));
    }
  });
  await reading(file, (chunk) => {
    if (tags === undefined) rows.feed(chunk);
    samples.feed(chunk);
    return first === undefined;
  });
  if (tags === undefined) return undefined;
  return { tags: Object.fromEntries(new URLSearchParams(tags)), ...(first !== undefined && { first }) };
}

/** Passes all samples of k6's output and the exceptions of its log to the sink. */
export async function readSamples(
  { csv, log, baseUrl }: { readonly csv: string; readonly log: string; readonly baseUrl: string },
  sink: LoadSink,
): Promise<CollectedSamples> {
  const seen = { requests: 0, failed: 0 };
  const samples = new K6Samples(
    passingOn(sink, {
      request: (endpoint, endedAtMs, durationMs, failed, status) => {
        seen.requests += 1;
        if (failed) seen.failed += 1;
        sink.request(endpoint, endedAtMs, durationMs, failed, status);
      },
    }),
    baseUrl,
  );
  await reading(csv, (chunk) => {
    samples.feed(chunk);
    return true;
  });
  samples.end();
  const errors = new K6Log((fromMs) => sink.exception(fromMs));
  // k6 makes this file only once it logs something.
  await reading(
    log,
    (chunk) => {
      errors.feed(chunk);
      return true;
    },
    'optional',
  );
  errors.end();
  const firstError = errors.lines[0] ?? samples.failures()[0];
  return { ...seen, ...(firstError !== undefined && { firstError }) };
}

/** Reads the file until `onChunk` returns false. */
async function reading(
  file: string,
  onChunk: (chunk: Buffer) => boolean,
  presence?: 'optional',
): Promise<void> {
  try {
    for await (const chunk of createReadStream(file)) if (!onChunk(chunk)) return;
  } catch (error) {
    if (presence === 'optional' && (error as NodeJS.ErrnoException).code === 'ENOENT') return;
    // The output of a running k6 has no file to name.
    if (error instanceof Fault) throw new Fault({ ...error.details, place: file }, { cause: error });
    throw error;
  }
}

async function endsWithRow(path: string): Promise<boolean> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (file === undefined) return false;
  try {
    const { size } = await file.stat();
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
    return size > 0 && buffer.toString() === '\n';
  } finally {
    await file.close();
  }
}
