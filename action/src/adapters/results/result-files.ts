import { join } from 'node:path';
import type { ReportFile } from '../../model/report-file.ts';
import type { Run } from '../../model/run.ts';
import type { Verdict } from '../../model/verdict.ts';
import { writeFault, writeFileAtomically } from '../host/index.ts';
import { reportFileName } from './report-file.ts';
import { withoutHistograms } from './without-histograms.ts';

/** Each function makes the folder if necessary, and returns the path of the file. */
export async function writeResult(directory: string, name: string, text: string): Promise<string> {
  const path = join(directory, name);
  try {
    await writeFileAtomically(path, text);
  } catch (error) {
    throw writeFault(error, path, 'E_RESULTS_WRITE');
  }
  return path;
}

/** Writes `run.json`, histograms included. */
export function writeRunFile(directory: string, run: Run): Promise<string> {
  return writeResult(directory, 'run.json', `${JSON.stringify(run, null, 2)}\n`);
}

export function writeVerdictFile(directory: string, verdict: Verdict): Promise<string> {
  return writeResult(directory, 'verdict.json', `${JSON.stringify(verdict, null, 2)}\n`);
}

export async function writeReports(
  directory: string,
  reports: readonly { readonly name: string; readonly text: string }[],
): Promise<void> {
  for (const { name, text } of reports) await writeResult(directory, name, text);
}

/** Writes the report as one line, without histograms. */
export function writeReportFile(directory: string, report: ReportFile): Promise<string> {
  const { run, base, again } = report;
  const slim: ReportFile = {
    ...report,
    run: withoutHistograms(run),
    ...(base && { base: withoutHistograms(base) }),
    ...(again && { again: { base: withoutHistograms(again.base), head: withoutHistograms(again.head) } }),
  };
  return writeResult(directory, reportFileName, `${JSON.stringify(slim)}\n`);
}
