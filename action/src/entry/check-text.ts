import type { Terminal } from '../adapters/terminal.ts';
import type { NextStepOptions } from '../report/next-step.ts';
import { terminalReport } from '../report/terminal.ts';
import type { CheckResult } from './check.ts';

/** What a check came to, for whoever reads it on a terminal or in a job's log. */
export function checkText(
  { verdict, resultDirectory, stored, baselinePlace }: CheckResult,
  step: Pick<NextStepOptions, 'command' | 'recording' | 'configPath'>,
  { width, paintOut }: Pick<Terminal, 'width' | 'paintOut'>,
): string {
  return terminalReport(verdict, {
    width,
    paint: paintOut,
    ...step,
    resultDirectory,
    ...(stored ? { storedIn: baselinePlace } : {}),
  });
}
