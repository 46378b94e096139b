import { join } from 'node:path';
import { Fault } from '../../model/fault.ts';
import { type LoadSeries, loadSeriesSchema } from '../../model/series.ts';
import { appendLine, readLines } from './json-lines-file.ts';

export const seriesFileName = 'series.jsonl.gz';

/** Adds one load to the folder's file. */
export function appendSeries(directory: string, series: LoadSeries): Promise<void> {
  return appendLine(join(directory, seriesFileName), series);
}

/** All loads of a folder's file, without one that was cut off; none if the folder has no such file. */
export function readSeries(directory: string): Promise<readonly LoadSeries[]> {
  return readLines(join(directory, seriesFileName), loadSeriesSchema, corrupt);
}

function corrupt(place: string, why: string): Fault {
  return new Fault({
    code: 'E_SERIES_CORRUPT',
    kind: 'usage',
    place,
    cause: `it cannot be read: ${why}`,
    nextStep:
      'use the version of the gate that wrote it, or delete the file: the report then has no time axis',
  });
}
