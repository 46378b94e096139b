import type { Verdict } from '../../model/verdict.ts';
import type { ContentOptions } from '../content/report-content.ts';
import { renderMarkdown } from './markdown.ts';

/** GitHub refuses longer comments. */
export const longestComment = 65_536;

export interface CommentOptions extends ContentOptions {
  /** The first line, from `commentMarker`, by which a later run finds the comment again. */
  readonly marker: string;
  /** A second line out of sight, which later runs read. */
  readonly state?: string;
}

/**
 * An invisible line that differs for every configuration file and suite, so that their jobs do not overwrite each
 * other's comments. Both names are encoded, because they must not end the line or the HTML comment.
 */
export function commentMarker(configPath: string, suite: string): string {
  const [path, name] = [configPath, suite].map((text) =>
    encodeURIComponent(text.toWellFormed()).replaceAll('--', '-%2D'),
  );
  return `<!-- perf-gate: ${path} ${name} -->`;
}

/** The verdict as the body of a pull request's comment, at most 65,536 characters. */
export function renderComment(verdict: Verdict, options: CommentOptions): string {
  return renderMarkdown(verdict, options, {
    detail: 'changes',
    mostEndpoints: 5,
    most: { changed: 20, notes: 40, endpoints: 3, folded: 100 },
    fits: (text) => text.length <= longestComment,
    frame: (report) => `${[options.marker, options.state, report].filter(Boolean).join('\n')}\n`,
  });
}
