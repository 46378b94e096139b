import { markdownCode, markdownPhrase } from '../format/markdown-text.ts';

/** Why a head has no report, in words that contain nothing from the pull request. */
const reasons = {
  several: 'several open pull requests have this head, so the gate cannot choose one',
  missing: 'its run ended before it wrote a report',
  suite: 'it measures none of the cells that the default branch has',
  base: 'its job compared it with a commit that is not in the history of the branch to merge into',
  version: 'another version of the gate wrote its report',
  untrusted: 'the report of its run cannot be trusted',
  failed: 'its report could not be judged',
} as const;
export type WithheldReason = keyof typeof reasons;

export interface WithheldOptions {
  readonly marker: string;
  readonly headSha: string;
  readonly reason: WithheldReason;
  /** Page of the run that withheld it. */
  readonly runUrl: string;
  /** An invisible line to keep; absent if there is none. */
  readonly state?: string;
}

/** Replaces a comment about an earlier head or an earlier report. */
export function renderWithheld({ marker, headSha, reason, runUrl, state }: WithheldOptions): string {
  const run = markdownPhrase([{ link: 'this run', address: runUrl }]);
  const kept = state === undefined ? '' : `${state}\n`;
  return `${marker}
${kept}**No trusted report** for ${markdownCode(headSha)}: ${reasons[reason]}.

The earlier comment no longer describes this pull request. Its own check shows how its run ended; see ${run} for more.
`;
}
