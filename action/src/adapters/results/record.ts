import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import { baselineSchema, baselineSchemaVersion } from '../../model/baseline.ts';
import { Fault } from '../../model/fault.ts';
import type { CheckRecord, MeasuredSide, ResultPart } from '../../model/record.ts';
import { type Run, runSchema } from '../../model/run.ts';
import { verdictSchema } from '../../model/verdict.ts';
import { readProfiles } from './profile-file.ts';
import { writeResult } from './result-files.ts';
import { readSeries } from './series-file.ts';
import { withoutHistograms } from './without-histograms.ts';

const baselineFile = 'baseline.json';

const folders: Readonly<Record<ResultPart, string>> = {
  head: '.',
  base: 'base',
  confirmation: 'confirmation',
  'confirmation-base': 'confirmation-base',
};

/** The folder of a part within the results of a check. */
export function partFolder(directory: string, part: ResultPart): string {
  return join(directory, folders[part]);
}

/** Writes the stored runs that the check compares with, because the baseline moves on. */
export function writeStoredRuns(directory: string, runs: readonly Run[]): Promise<string> {
  const baseline = { schema: baselineSchemaVersion, runs: runs.map(withoutHistograms) };
  return writeResult(directory, baselineFile, `${JSON.stringify(baseline)}\n`);
}

/** Reads everything that a check left in its folder. */
export async function readRecord(directory: string): Promise<CheckRecord> {
  const verdict = await readJson(join(directory, 'verdict.json'), verdictSchema);
  const side = async (part: ResultPart): Promise<MeasuredSide | undefined> => {
    const folder = partFolder(directory, part);
    const path = join(folder, 'run.json');
    if (part !== 'head' && !existsSync(path)) return undefined;
    return {
      run: await readJson(path, runSchema),
      series: await readSeries(folder),
      profiles: await readProfiles(folder),
    };
  };
  const [head, base, againHead, againBase] = await Promise.all([
    side('head'),
    side('base'),
    side('confirmation'),
    side('confirmation-base'),
  ]);
  if (head === undefined) throw new Error('the head is always read');
  const stored = join(directory, baselineFile);
  return {
    verdict,
    head,
    ...(base === undefined ? {} : { base }),
    ...(againHead === undefined || againBase === undefined
      ? {}
      : { again: { base: againBase, head: againHead } }),
    stored: existsSync(stored) ? (await readJson(stored, baselineSchema)).runs : [],
  };
}

async function readJson<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new Fault(
      {
        code: 'E_RESULT_MISSING',
        kind: 'usage',
        place: path,
        cause: 'this folder holds no finished check',
        nextStep: 'name the folder of a check, below .perf-gate/results',
      },
      { cause: error },
    );
  }
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw corrupt(path, 'it is not JSON', error);
  }
  const { success, data: value, error } = schema.safeParse(data);
  if (success) return value;
  const [issue] = error.issues;
  throw corrupt(path, `${issue?.path.map(String).join('.')}: ${issue?.message}`, error);
}

function corrupt(place: string, cause: string, error: unknown): Fault {
  return new Fault(
    {
      code: 'E_RESULT_CORRUPT',
      kind: 'usage',
      place,
      cause,
      nextStep: 'use the version of the gate that made the check, or run the check again',
    },
    { cause: error },
  );
}
