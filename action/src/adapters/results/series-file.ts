import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import { Fault } from '../../model/fault.ts';
import { type LoadSeries, loadSeriesSchema } from '../../model/series.ts';
import { writeFault } from '../host/index.ts';

export const seriesFileName = 'series.jsonl.gz';

/** Appends one line. Each is a gzip member of its own, so nothing is lost if the check is killed. */
export async function appendSeries(directory: string, series: LoadSeries): Promise<void> {
  const path = join(directory, seriesFileName);
  try {
    await mkdir(directory, { recursive: true });
    await appendFile(path, await promisify(gzip)(`${JSON.stringify(series)}\n`));
  } catch (error) {
    throw writeFault(error, path, 'E_RESULTS_WRITE');
  }
}

/** All lines of a folder's file, without one that was cut off; none if the folder has no such file. */
export async function readSeries(directory: string): Promise<readonly LoadSeries[]> {
  const path = join(directory, seriesFileName);
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw corrupt(path, `it cannot be read: ${(error as Error).message}`);
  }
  return (await textOf(bytes, path))
    .split('\n')
    .slice(0, -1)
    .map((line, index) => parseLine(line, `${path}:${index + 1}`));
}

async function textOf(bytes: Buffer, path: string): Promise<string> {
  try {
    // Returns the beginning of a file that ends too early.
    const flush = { finishFlush: constants.Z_SYNC_FLUSH };
    return (await promisify(gunzip)(bytes, flush)).toString('utf8');
  } catch (error) {
    throw corrupt(path, (error as Error).message);
  }
}

function parseLine(line: string, place: string): LoadSeries {
  let data: unknown;
  try {
    data = JSON.parse(line);
  } catch {
    throw corrupt(place, 'the line is not JSON');
  }
  const { success, data: series, error } = loadSeriesSchema.safeParse(data);
  if (success) return series;
  const [issue] = error.issues;
  throw corrupt(place, `${issue?.path.map(String).join('.')}: ${issue?.message}`);
}

function corrupt(place: string, cause: string): Fault {
  return new Fault({
    code: 'E_SERIES_CORRUPT',
    kind: 'usage',
    place,
    cause,
    nextStep:
      'use the version of the gate that wrote it, or delete the file: the report then has no time axis',
  });
}
