import { mergedInto } from '../adapters/base-checkout.ts';
import type { Git } from '../adapters/git-command.ts';
import type { Verdict } from '../model/verdict.ts';
import type { Trigger } from './github-event.ts';

/**
 * A verdict as people and the trusted side know its pull request: by the head that its author pushed. What is checked
 * out for it is by default GitHub's merge of that head, whose name nobody has seen.
 */
export async function namedByHead(verdict: Verdict, git: Git, trigger: Trigger): Promise<Verdict> {
  if (trigger.kind !== 'pull-request') return verdict;
  const { headSha } = trigger.pullRequest;
  if ((await mergedInto(git, headSha)) === undefined) return verdict;
  return { ...verdict, code: { ...verdict.code, commit: headSha } };
}
