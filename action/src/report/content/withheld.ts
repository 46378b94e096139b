import { markdownCode, markdownLink } from '../format/markdown-text.ts';

/** Why a head has no report, in words that nobody else chose. */
const reasons = {
  several: 'more than one open pull request has this head, so none is chosen',
  missing: 'its run ended before it had a report',
  suite: 'it changes what is measured, so its own check is the verdict until that is on the default branch',
  newer: 'another version of the gate wrote its report',
  untrusted: 'what its run left is no report that can be trusted',
  failed: 'its report could not be judged',
} as const;
export type WithheldReason = keyof typeof reasons;

export interface WithheldOptions {
  readonly marker: string;
  readonly headSha: string;
  readonly reason: WithheldReason;
  /** Page of the run that withheld it. */
  readonly runUrl: string;
}

/** What takes the place of a comment that was about an earlier head, or an earlier report. */
export function renderWithheld({ marker, headSha, reason, runUrl }: WithheldOptions): string {
  return `${marker}
**No trusted report** for ${markdownCode(headSha)}: ${reasons[reason]}.

What stood here before is no longer about this pull request. Its own check says how its run ended; ${markdownLink('this run', runUrl)} says more.
`;
}
