import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import type { z } from 'zod';
import type { Fault } from '../../model/fault.ts';
import { writeFault } from '../host/index.ts';

/** Makes the Fault of a file that cannot be read. */
type Corrupt = (place: string, why: string) => Fault;

/** Appends one line. Each is a gzip member of its own, so nothing is lost if the check is killed. */
export async function appendLine(path: string, value: unknown): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await appendFile(path, await promisify(gzip)(`${JSON.stringify(value)}\n`));
  } catch (error) {
    throw writeFault(error, path, 'E_RESULTS_WRITE');
  }
}

/** All lines of the file, without one that was cut off; none if there is no such file. */
export async function readLines<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  corrupt: Corrupt,
): Promise<readonly z.output<Schema>[]> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw corrupt(path, (error as Error).message);
  }
  return (await textOf(bytes, path, corrupt))
    .split('\n')
    .slice(0, -1)
    .map((line, index) => parseLine(line, schema, `${path}:${index + 1}`, corrupt));
}

async function textOf(bytes: Buffer, path: string, corrupt: Corrupt): Promise<string> {
  try {
    // Of a file that ends too early, this returns the part before the end.
    const flush = { finishFlush: constants.Z_SYNC_FLUSH };
    return (await promisify(gunzip)(bytes, flush)).toString('utf8');
  } catch (error) {
    throw corrupt(path, (error as Error).message);
  }
}

function parseLine<Schema extends z.ZodType>(
  line: string,
  schema: Schema,
  place: string,
  corrupt: Corrupt,
): z.output<Schema> {
  let data: unknown;
  try {
    data = JSON.parse(line);
  } catch {
    throw corrupt(place, 'the line is not JSON');
  }
  const { success, data: value, error } = schema.safeParse(data);
  if (success) return value;
  const [issue] = error.issues;
  throw corrupt(place, `${issue?.path.map(String).join('.')}: ${issue?.message}`);
}
