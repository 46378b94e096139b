import { join } from 'node:path';
import type { Run } from '../model/run.ts';
import type { Verdict } from '../model/verdict.ts';
import { writeFault, writeFileAtomically } from './atomic-file.ts';

/** pretty: two spaces a level, for people. compact: one line, for machines. */
export type JsonLayout = 'pretty' | 'compact';

async function writeJson(path: string, value: unknown, layout: JsonLayout): Promise<string> {
  try {
    await writeFileAtomically(path, `${JSON.stringify(value, null, layout === 'pretty' ? 2 : 0)}\n`);
  } catch (error) {
    throw writeFault(error, path, 'E_RESULTS_WRITE');
  }
  return path;
}

/** Writes what a check leaves behind; each method returns the path it wrote. */
export interface ResultFiles {
  readonly directory: string;
  /** `run.json`: the measurement, histograms included. */
  writeRun(run: Run): Promise<string>;
  /** `verdict.json`: what the judge made of it. */
  writeVerdict(verdict: Verdict): Promise<string>;
}

/** The folder is made when the first file is written. */
export function createResultFiles(directory: string, layout: JsonLayout = 'pretty'): ResultFiles {
  return {
    directory,
    writeRun: (run) => writeJson(join(directory, 'run.json'), run, layout),
    writeVerdict: (verdict) => writeJson(join(directory, 'verdict.json'), verdict, layout),
  };
}
