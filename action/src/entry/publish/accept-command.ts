import type { CodeHost, HeadRun, PullRequest } from '../../check/index.ts';
import { failingRows, withWaivers } from '../../judge/index.ts';
import { exitCodes, Fault } from '../../model/fault.ts';
import type { Verdict } from '../../model/verdict.ts';
import { commentMarker } from '../../report/index.ts';
import { exitCodeOf } from '../exit-code.ts';
import { actionCheckout } from '../github/checkout.ts';
import type { PullRequestComment } from '../github/github-event.ts';
import { acceptRows, waiversOf } from './acceptance.ts';
import { nothingToDo, type PublishAction, publishRun } from './publish-run.ts';

const command = /^\/perf-gate[ \t]+accept(?:[ \t]+(\S.*))?$/;

/**
 * `/perf-gate accept REASON`, a comment by somebody who may write to the repository. It accepts the regressions of the
 * head that the comment was written about, and publishes the verdict again.
 */
export async function acceptByComment(
  action: PublishAction,
  host: CodeHost,
  comment: PullRequestComment,
): Promise<number> {
  const found = command.exec(comment.body.split(/\r?\n/, 1)[0]?.trim() ?? '');
  if (found === null) return nothingToDo('the comment is no command of the gate');
  try {
    return await accept(action, host, comment, found[1]?.trim());
  } catch (error) {
    if (error instanceof Fault) await host.react(comment.id, false);
    throw error;
  }
}

async function accept(
  action: PublishAction,
  host: CodeHost,
  { id, number, author, at }: PullRequestComment,
  reason: string | undefined,
): Promise<number> {
  const place = `pull request ${number}`;
  if (!(await host.mayWrite(author))) {
    throw refusal(
      'E_ACCEPT_PERMISSION',
      place,
      `${author} may not write to this repository`,
      'ask somebody with write access to post the comment',
    );
  }
  if (reason === undefined) {
    const example = '/perf-gate accept the new index makes writing slower';
    throw refusal('E_ACCEPT_REASON', place, 'it gives no reason', `write one, such as \`${example}\``);
  }
  if (action.inputs.comment === 'never') {
    throw refusal(
      'E_ACCEPT_COMMENT',
      'input comment',
      'the comment of the gate keeps what was accepted, and it is switched off',
      'set `comment` to `on-change` or `always`',
    );
  }
  const pullRequest = await host.openPullRequest(number);
  if (pullRequest === undefined) {
    throw refusal('E_ACCEPT_CLOSED', place, 'it is closed, or its fork is gone', 'reopen it first');
  }
  const run = await measuredRun(action, host, pullRequest);
  if (run === undefined && !(await hasComment(action, host, pullRequest))) {
    // It may be about another gate of the repository.
    return nothingToDo('this gate has no report on the head and no comment, so there is nothing to accept');
  }
  if (run?.endedAt === undefined || at < run.endedAt) {
    throw refusal(
      'E_ACCEPT_EARLY',
      `${place}, head ${pullRequest.headSha.slice(0, 8)}`,
      run === undefined
        ? 'this head has no verdict yet, is being measured again, or its report has expired'
        : 'the comment is older than the verdict on this head, so it was about something else',
      'wait for the verdict, or run the check again, then write the comment again',
    );
  }
  // Without a verdict, as where several pull requests share the head, nothing is accepted.
  let sign = 'refused' as 'accepted' | 'refused' | 'none';
  const exitCode = await publishRun(action, host, run, (verdict) => {
    const passes = (judged: Verdict) => exitCodeOf(judged, action.inputs['fail-on']) === exitCodes.pass;
    if (passes(verdict) && failingRows(verdict).length === 0) {
      // The comment may be about another gate of the repository, whose sign it then gets.
      sign = 'none';
      return undefined;
    }
    const acceptance = acceptRows(verdict, pullRequest.headSha, author, reason);
    const left = withWaivers(verdict, waiversOf(acceptance));
    if (!passes(left)) {
      throw refusal(
        'E_ACCEPT_PARTLY',
        place,
        `with all that can be accepted, the check would still fail: its outcome would be ${left.outcome}`,
        'fix the rest first, such as a missed objective; if it is noise, run the check again',
      );
    }
    sign = 'accepted';
    return acceptance;
  });
  if (sign !== 'none') await host.react(id, sign === 'accepted');
  return exitCode;
}

/** True if the gate has a comment on the pull request. After a check that failed with a report, it has. */
async function hasComment(
  { inputs, env }: PublishAction,
  host: CodeHost,
  pullRequest: PullRequest,
): Promise<boolean> {
  const marker = commentMarker(actionCheckout(env, inputs.config).configPath, inputs.suite);
  return (await host.findComment({ pullRequest, marker })) !== undefined;
}

/**
 * The newest run of the head that kept a report; undefined while a newer one of its workflow is under way. A push back to
 * an older commit starts one, for example.
 */
async function measuredRun(
  { inputs }: PublishAction,
  host: CodeHost,
  pullRequest: PullRequest,
): Promise<HeadRun | undefined> {
  const underWay = new Set<number>();
  for (const run of await host.headRuns(pullRequest)) {
    if (run.endedAt === undefined) underWay.add(run.workflow);
    else if (await host.hasArtifact(run, inputs.artifact)) {
      return underWay.has(run.workflow) ? undefined : run;
    }
  }
  return undefined;
}

function refusal(code: string, place: string, cause: string, nextStep: string): Fault {
  return new Fault({ code, kind: 'usage', place, cause, nextStep });
}
