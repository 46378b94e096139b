import { type Git, mergedInto } from '../../adapters/git/index.ts';
import type { Trigger } from './github-event.ts';

/**
 * The commit that people and the trusted side know a pull request by: the head that its author pushed. Undefined if
 * what is checked out has to go by its own name; by default it is GitHub's merge of that head, whose name nobody has
 * seen. To be asked before the code that is measured runs, which could change the checkout.
 */
export async function pullRequestHead(git: Git, trigger: Trigger): Promise<string | undefined> {
  if (trigger.kind !== 'pull-request') return undefined;
  const { headSha } = trigger.pullRequest;
  return (await mergedInto(git, headSha)) === undefined ? undefined : headSha;
}
