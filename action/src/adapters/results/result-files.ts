import { join } from 'node:path';
import type { Run } from '../../model/run.ts';
import type { Verdict } from '../../model/verdict.ts';
import { writeFault, writeFileAtomically } from '../host/index.ts';

async function writeResult(path: string, text: string): Promise<string> {
  try {
    await writeFileAtomically(path, text);
  } catch (error) {
    throw writeFault(error, path, 'E_RESULTS_WRITE');
  }
  return path;
}

function writeJson(path: string, value: unknown): Promise<string> {
  return writeResult(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** Writes `run.json`, histograms included, into the folder, which is made if need be. Returns its path. */
export function writeRunFile(directory: string, run: Run): Promise<string> {
  return writeJson(join(directory, 'run.json'), run);
}

/** Writes `verdict.json` into the folder, which is made if need be. Returns its path. */
export function writeVerdictFile(directory: string, verdict: Verdict): Promise<string> {
  return writeJson(join(directory, 'verdict.json'), verdict);
}

/** Writes the reports into the folder, which is made if need be. */
export async function writeReports(
  directory: string,
  reports: readonly { readonly name: string; readonly text: string }[],
): Promise<void> {
  for (const { name, text } of reports) await writeResult(join(directory, name), text);
}
