import type { Terminal } from '../adapters/terminal.ts';
import { renderPage } from '../report/html-report.ts';
import type { NextStepOptions } from '../report/next-step.ts';
import { terminalReport } from '../report/terminal.ts';
import type { CheckResult } from './check.ts';

function nextStep({ stored, baselinePlace }: CheckResult, configPath: string): NextStepOptions {
  return {
    command: './gate check',
    recording: { kind: 'command', command: './gate baseline' },
    configPath,
    ...(stored ? { storedIn: baselinePlace } : {}),
  };
}

/** What a check came to, for whoever reads it on a terminal or in a job's log. */
export function checkText(
  result: CheckResult,
  configPath: string,
  { width, paintOut }: Pick<Terminal, 'width' | 'paintOut'>,
): string {
  const { verdict, resultDirectory } = result;
  return terminalReport(verdict, {
    ...nextStep(result, configPath),
    width,
    paint: paintOut,
    resultDirectory,
  });
}

/** What a check came to, as a page that lies beside its figures. */
export function checkPage(result: CheckResult, configPath: string): string {
  return renderPage(result.verdict, {
    ...nextStep(result, configPath),
    fullReport: { text: 'verdict.json and run.json beside this page' },
  });
}
