import { type Git, mergedInto } from '../../adapters/git/index.ts';
import type { Trigger } from './github-event.ts';

/**
 * The commit that what an event brings is measured beside; undefined if the event names none. What is checked out for a
 * pull request is by default its merge into the base branch, and that branch may have moved since the commit that the
 * event names: what others merged meanwhile is in the checkout, and belongs to both sides.
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
