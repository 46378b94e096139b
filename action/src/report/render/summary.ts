import type { Verdict } from '../../model/verdict.ts';
import type { ReportOptions } from '../content/report-content.ts';
import { markdownText } from '../format/markdown-text.ts';
import { type MarkdownLayout, markdownReport } from './markdown-report.ts';

/** GitHub drops the summary of a step beyond 1 MiB, which other text of the step counts towards. */
export const largestSummaryBytes = 1_000_000;

export interface SummaryOptions extends ReportOptions {
  /** Why the pull request has no comment, in a sentence; absent if it has one, or was to have none. */
  readonly withoutComment?: string;
}

const layout: Omit<MarkdownLayout, 'fits'> = {
  title: 'summary',
  most: { changed: Infinity, notes: Infinity, endpointTables: Infinity, folded: Infinity },
  mostEndpoints: 100,
  tells: 'cells',
};

const encoder = new TextEncoder();

/** The verdict with every cell as a step's summary, at most 1,000,000 bytes. */
export function renderSummary(verdict: Verdict, options: SummaryOptions): string {
  const { withoutComment } = options;
  const note = withoutComment === undefined ? '' : `\n${markdownText(withoutComment)}\n`;
  return markdownReport(
    verdict,
    options,
    { ...layout, fits: (text) => encoder.encode(text).length <= largestSummaryBytes },
    (report) => `${report}\n${note}`,
  );
}
