import { join } from 'node:path';
import type { Terminal } from '../adapters/host/index.ts';
import { type NextStepOptions, type ReportFile, reporters, reportFiles } from '../report/index.ts';
import type { FinishedCheck } from './run-check.ts';

/** What the reader may do next. */
export type NextSteps = Pick<NextStepOptions, 'command' | 'recording' | 'configPath'>;

/** The result of a check as text for a terminal or a job's log. */
export function checkText(
  result: FinishedCheck,
  next: NextSteps,
  { width, paintOut }: Pick<Terminal, 'width' | 'paintOut'>,
): string {
  const page = join(result.resultDirectory, reporters.page.file);
  return reporters.terminal.render(result.verdict, {
    ...next,
    ...storedIn(result),
    width,
    paint: paintOut,
    fullReport: { text: `${page}, with verdict.json and run.json` },
  });
}

/** The files to write next to the figures of a check. */
export function checkFiles(result: FinishedCheck, next: NextSteps): readonly ReportFile[] {
  return reportFiles(result.verdict, {
    ...next,
    ...storedIn(result),
    fullReport: { text: 'verdict.json and run.json in the folder of this page' },
  });
}

export function storedIn({ stored, baselinePlace }: FinishedCheck): Pick<NextStepOptions, 'storedIn'> {
  return stored ? { storedIn: baselinePlace } : {};
}
