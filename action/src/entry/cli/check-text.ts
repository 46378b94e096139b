import type { Terminal } from '../../adapters/host/index.ts';
import { type NextStepOptions, renderPage, terminalReport } from '../../report/index.ts';
import type { CheckResult } from '../check.ts';

/** What whoever reads it may do next. */
export type NextSteps = Pick<NextStepOptions, 'command' | 'recording' | 'configPath'>;

/** What a check came to, for whoever reads it on a terminal or in a job's log. */
export function checkText(
  result: CheckResult,
  next: NextSteps,
  { width, paintOut }: Pick<Terminal, 'width' | 'paintOut'>,
): string {
  const { verdict, resultDirectory } = result;
  return terminalReport(verdict, { ...next, ...place(result), width, paint: paintOut, resultDirectory });
}

/** What a check came to, as a page that lies beside its figures. */
export function checkPage(result: CheckResult, next: NextSteps): string {
  return renderPage(result.verdict, {
    ...next,
    ...place(result),
    fullReport: { text: 'verdict.json and run.json beside this page' },
  });
}

function place({ stored, baselinePlace }: CheckResult): Pick<NextStepOptions, 'storedIn'> {
  return stored ? { storedIn: baselinePlace } : {};
}
