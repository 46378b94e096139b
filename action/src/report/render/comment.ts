import type { Verdict } from '../../model/verdict.ts';
import type { ReportOptions } from '../content/report-content.ts';
import { type MarkdownLayout, markdownReport } from './markdown-report.ts';

/** GitHub refuses a longer comment. */
export const longestComment = 65_536;

export interface CommentOptions extends ReportOptions {
  /** First line, from `commentMarker`: whoever posts the comment finds its former self by it. */
  readonly marker: string;
}

const layout: Omit<MarkdownLayout, 'fits'> = {
  title: 'comment',
  most: { changed: 20, notes: 20, endpointTables: 3, folded: 100 },
  mostEndpoints: 5,
  tells: 'changes',
};

/**
 * A line that nobody sees, different for every configuration file of a repository and every suite of it: jobs of two
 * suites do not write over each other. Both are encoded, so that they can neither end the line nor hold what ends an
 * HTML comment.
 */
export function commentMarker(configPath: string, suite: string): string {
  const [path, name] = [configPath, suite].map((text) =>
    encodeURIComponent(text.toWellFormed()).replaceAll('--', '-%2D'),
  );
  return `<!-- perf-gate: ${path} ${name} -->`;
}

/** The verdict as the body of a pull request's comment, at most 65,536 characters. */
export function renderComment(verdict: Verdict, options: CommentOptions): string {
  return markdownReport(
    verdict,
    options,
    { ...layout, fits: (text) => text.length <= longestComment },
    (report) => `${options.marker}\n${report}\n`,
  );
}
