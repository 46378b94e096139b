import { join } from 'node:path';
import type { Terminal } from '../adapters/host/index.ts';
import { type NextStepOptions, type ReportFile, reporters, reportFiles } from '../report/index.ts';
import type { FinishedCheck } from './run-check.ts';

/** What the reader may do next. */
export type NextSteps = Pick<NextStepOptions, 'command' | 'recording' | 'configPath'>;

/** What is shown: of a check that has just ended, or of an earlier one. */
export type Shown = Pick<FinishedCheck, 'record' | 'resultDirectory'> &
  Partial<Pick<FinishedCheck, 'stored' | 'baselinePlace'>>;

/** The result of a check as text for a terminal or a job's log. */
export function checkText(
  result: Shown,
  next: NextSteps,
  { width, paintOut }: Pick<Terminal, 'width' | 'paintOut'>,
): string {
  const page = join(result.resultDirectory, reporters.page.file);
  return reporters.terminal.render(result.record.verdict, {
    ...next,
    ...storedIn(result),
    width,
    paint: paintOut,
    fullReport: { text: `${page}, with verdict.json and run.json` },
  });
}

/**
 * The files to write next to the figures of a check.
 *
 * @param figures which files they are, for the page
 */
export function checkFiles(
  result: Shown,
  next: NextSteps,
  figures = 'verdict.json and run.json',
): readonly ReportFile[] {
  return reportFiles(result.record.verdict, {
    ...next,
    ...storedIn(result),
    record: result.record,
    fullReport: { text: `${figures} in the folder of this page` },
  });
}

export function storedIn({ stored, baselinePlace }: Shown): Pick<NextStepOptions, 'storedIn'> {
  return stored && baselinePlace !== undefined ? { storedIn: baselinePlace } : {};
}
