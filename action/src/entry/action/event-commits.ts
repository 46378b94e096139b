import { type Git, mergedInto } from '../../adapters/git/index.ts';
import type { Trigger } from '../github/github-event.ts';

/**
 * The base commit to compare this event's checkout with; undefined if the event has none. A pull request is by default
 * checked out as its merge into the base branch, which may be newer than the base in the event. The merge's own base is
 * then the right one, because both sides must contain what others merged meanwhile.
 */
export async function eventBase(git: Git, trigger: Trigger): Promise<string | undefined> {
  switch (trigger.kind) {
    case 'pull-request':
      return (await mergedInto(git, trigger.pullRequest.headSha)) ?? trigger.baseSha;
    case 'merge-group':
      return trigger.baseSha;
    default:
      return undefined;
  }
}

/**
 * The commit that the author pushed, if the checkout is GitHub's merge of it: people know that commit, and nobody knows
 * the merge. Ask before measured code runs, because that code could change the checkout.
 */
export async function pullRequestHead(git: Git, trigger: Trigger): Promise<string | undefined> {
  if (trigger.kind !== 'pull-request') return undefined;
  const { headSha } = trigger.pullRequest;
  return (await mergedInto(git, headSha)) === undefined ? undefined : headSha;
}
