import type { CommentResult } from '../../check/index.ts';
import type { Fault } from '../../model/fault.ts';
import { note } from './runner.ts';
import type { StepAnnotations } from './step-annotations.ts';

/** Tells what became of the comment in the log; answers with what the summary has to say instead of it. */
export function commentNote(
  result: CommentResult,
  expectedAuthor: string,
  annotations: StepAnnotations,
): string | undefined {
  switch (result.kind) {
    case 'not-wanted':
      return undefined;
    case 'outdated':
      return 'There is no comment: the pull request has moved on or was closed.';
    case 'refused':
      note(`no comment: ${result.cause}`);
      return /\blocked\b/.test(result.cause)
        ? 'There is no comment: the conversation of this pull request is locked.'
        : 'There is no comment: the token may not write to this pull request, as is so for one from a fork.';
    default:
      note(`comment ${result.kind}: ${result.url}`);
      if (result.author !== expectedAuthor) {
        annotations.make(
          'warning',
          `The token writes as ${result.author}, so this comment will not be found again. Set \`comment-author: ${result.author}\`.`,
          { title: 'perf-gate: comment author' },
        );
      }
      return undefined;
  }
}

/** What the summary says of a comment that GitHub did not take. */
export function commentFailure({ details }: Fault): string {
  return `There is no comment: ${details.cause}.`;
}
