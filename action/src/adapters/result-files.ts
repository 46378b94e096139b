import { join } from 'node:path';
import type { Run } from '../model/run.ts';
import type { Verdict } from '../model/verdict.ts';
import { writeFault, writeFileAtomically } from './atomic-file.ts';

/** pretty: two spaces a level, for people. compact: one line, for machines. */
export type JsonLayout = 'pretty' | 'compact';

async function writeResult(path: string, text: string): Promise<string> {
  try {
    await writeFileAtomically(path, text);
  } catch (error) {
    throw writeFault(error, path, 'E_RESULTS_WRITE');
  }
  return path;
}

function writeJson(path: string, value: unknown, layout: JsonLayout): Promise<string> {
  return writeResult(path, `${JSON.stringify(value, null, layout === 'pretty' ? 2 : 0)}\n`);
}

/** Writes `run.json`, histograms included, into the folder, which is made if need be. Returns its path. */
export function writeRunFile(directory: string, run: Run, layout: JsonLayout = 'pretty'): Promise<string> {
  return writeJson(join(directory, 'run.json'), run, layout);
}

/** Writes `verdict.json` into the folder, which is made if need be. Returns its path. */
export function writeVerdictFile(
  directory: string,
  verdict: Verdict,
  layout: JsonLayout = 'pretty',
): Promise<string> {
  return writeJson(join(directory, 'verdict.json'), verdict, layout);
}

/** Writes `report.html` into the folder, which is made if need be. Returns its path. */
export function writePageFile(directory: string, page: string): Promise<string> {
  return writeResult(join(directory, 'report.html'), page);
}
