import type { Verdict } from '../../model/verdict.ts';
import type { ContentOptions } from '../content/report-content.ts';
import { markdownInline, markdownLine } from '../format/markdown-text.ts';
import { renderMarkdown } from './markdown.ts';

/** GitHub drops a step's summary beyond 1 MiB, and other text of the step counts towards that. */
export const largestSummaryBytes = 1_000_000;

export interface SummaryOptions extends ContentOptions {
  /** Why the pull request has no comment, in a sentence; absent if it has one or should have none. */
  readonly withoutComment?: string;
}

/** The verdict with every cell as a step's summary, at most 1,000,000 bytes. */
export function renderSummary(verdict: Verdict, options: SummaryOptions): string {
  const { withoutComment } = options;
  const note = withoutComment === undefined ? '' : `\n${markdownLine(markdownInline(withoutComment))}\n`;
  return renderMarkdown(verdict, options, {
    detail: 'cells',
    mostEndpoints: 100,
    fits: (text) => Buffer.byteLength(text) <= largestSummaryBytes,
    frame: (report) => `${report}\n${note}`,
  });
}
