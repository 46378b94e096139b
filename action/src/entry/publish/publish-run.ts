import * as core from '@actions/core';
import { parseReportFile, reportFileName } from '../../adapters/results/index.ts';
import type { CodeHost, CommitStatus, PullRequest, PullRequestRun } from '../../check/index.ts';
import { withWaivers } from '../../judge/index.ts';
import { exitCodes, Fault } from '../../model/fault.ts';
import type { Verdict } from '../../model/verdict.ts';
import { commentMarker, renderWithheld, verdictOutputs, type WithheldReason } from '../../report/index.ts';
import { checkCommandIn } from '../gate-command.ts';
import { type ActionCheckout, actionCheckout } from '../github/checkout.ts';
import { commentFailure, commentNote, commentVerdict } from '../github/comment.ts';
import type { PublishInputs } from '../github/inputs.ts';
import { actionReports, setOutputs } from '../github/reports.ts';
import type { ActionContext } from '../github/runner.ts';
import { findGateDirectory } from '../settings.ts';
import { type Acceptance, acceptanceLine, keptAcceptance, waiversOf } from './acceptance.ts';
import { statusContext, statusOf, statusWithout } from './commit-status.ts';
import { judgeReport } from './judge-report.ts';

export type PublishAction = ActionContext<PublishInputs>;

/** Decides what of a verdict is accepted; undefined if nothing needs to be. Throws a Fault if that cannot be. */
export type Accept = (verdict: Verdict) => Acceptance | undefined;

/**
 * Judges the report of a run and publishes the verdict. What somebody accepted for this head before still counts, unless
 * `accept` says what is accepted now.
 */
export async function publishRun(
  action: PublishAction,
  host: CodeHost,
  run: PullRequestRun,
  accept?: Accept,
): Promise<number> {
  const { inputs, job, env, annotations } = action;
  const attribution = await host.attribute(run);
  if (attribution.kind === 'none') {
    return nothingToDo('no open pull request has this head any more: it was closed, or has a newer head');
  }
  if (attribution.kind === 'overtaken') {
    return nothingToDo(`a newer attempt than ${run.attempt} of that run exists, and only the newest counts`);
  }
  const checkout = actionCheckout(env, inputs.config);
  const setStatus = async (said: Pick<CommitStatus, 'state' | 'description'>) => {
    if (!inputs.status) return;
    const context = statusContext(checkout.configPath, inputs.suite);
    try {
      await host.setStatus({ ...said, commit: run.headSha, context, url: job.runUrl });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      // A branch that requires the status then waits for it, so this can let nothing through.
      annotations.make('warning', error.message, { title: 'perf-gate: no commit status' });
    }
  };
  const withhold = async (pullRequests: readonly PullRequest[], reason: WithheldReason) => {
    await setStatus(statusWithout(reason));
    for (const pullRequest of pullRequests) {
      await replaceComment(action, host, pullRequest, checkout.configPath, reason);
    }
  };
  if (attribution.kind === 'several') {
    await withhold(attribution.pullRequests, 'several');
    const numbers = attribution.pullRequests.map(({ number }) => number).join(', ');
    return nothingToDo(`pull requests ${numbers} share this head, so none is chosen`);
  }
  const { pullRequest } = attribution;
  const marker = commentMarker(checkout.configPath, inputs.suite);
  let verdict: Verdict;
  let acceptance: Acceptance | undefined;
  try {
    const { text, place } = await host.readArtifact(run, inputs.artifact, reportFileName);
    const report = parseReportFile(text, place);
    verdict = await judgeReport(action, host, { report, run, pullRequest }, checkout);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const reason = withheldReason(error.details.code);
    await withhold([pullRequest], reason);
    const harmless = expected[reason];
    if (harmless === undefined) throw error;
    return nothingToDo(harmless);
  }
  if (accept === undefined) {
    try {
      acceptance = await keptAcceptance(host, pullRequest, marker);
    } catch (error) {
      // Nothing says how the verdict ends, so the status of an earlier one must not stand. The comment holds the acceptance.
      if (error instanceof Fault) await setStatus(statusWithout('failed'));
      throw error;
    }
  } else {
    acceptance = accept(verdict);
    if (acceptance === undefined) {
      return nothingToDo('nothing in the verdict of this gate fails, so nothing has to be accepted');
    }
  }
  if (acceptance !== undefined) verdict = withWaivers(verdict, waiversOf(acceptance));
  const status = statusOf(verdict, inputs['fail-on']);
  const publish = () => publishVerdict(action, host, { run, pullRequest, verdict, acceptance }, checkout);
  if (accept === undefined) {
    // Before the comment, whose failure must not leave the commit without a status.
    await setStatus(status);
    await publish();
  } else {
    await publish();
    // Only the comment keeps what is accepted now, so it does not count before later runs can find it there.
    if ((await keptAcceptance(host, pullRequest, marker)) === undefined) throw notKept(pullRequest);
    await setStatus(status);
  }
  return exitCodes.pass;
}

function notKept({ number }: PullRequest): Fault {
  return new Fault({
    code: 'E_ACCEPT_COMMENT',
    kind: 'measurement',
    place: `pull request ${number}`,
    cause: 'the gate keeps what is accepted in its comment, and that cannot be found there',
    nextStep:
      'unlock the conversation, or let `comment-author` name who comments; if there is a newer head, wait for its verdict; then write the command again',
  });
}

interface Published {
  readonly run: PullRequestRun;
  readonly pullRequest: PullRequest;
  readonly verdict: Verdict;
  readonly acceptance: Acceptance | undefined;
}

async function publishVerdict(
  action: PublishAction,
  host: CodeHost,
  about: Published,
  { root, configFile, configPath }: ActionCheckout,
): Promise<void> {
  const { inputs, job } = action;
  const { run, pullRequest, verdict, acceptance } = about;
  const reports = actionReports(verdict, {
    configFile,
    configPath,
    command: checkCommandIn(root, findGateDirectory(), configPath, inputs.suite),
    repositoryUrl: job.repositoryUrl,
    runUrl: job.runUrl,
    ...(acceptance && { state: acceptanceLine(acceptance) }),
    branch: job.defaultBranch,
    ...(run.headRepository === `${job.owner}/${job.name}` ? {} : { fork: run.headRepository }),
  });
  setOutputs({
    ...verdictOutputs(verdict),
    'pull-request': String(pullRequest.number),
    'report-url': job.runUrl,
    'comment-body': reports.comment,
  });
  const summarise = (withoutComment: string | undefined) =>
    core.summary.addRaw(reports.summary(withoutComment)).write();
  let withoutComment: string | undefined;
  try {
    withoutComment = await commentVerdict(host, pullRequest, action, reports, verdict);
  } catch (error) {
    // The job exists to comment, so it fails without one. The summary still shows the verdict.
    if (error instanceof Fault) await summarise(commentFailure(error));
    throw error;
  }
  await summarise(withoutComment);
}

export function nothingToDo(reason: string): number {
  core.notice(reason, { title: 'perf-gate: nothing posted' });
  return exitCodes.pass;
}

/** Reasons that nobody needs to fix. */
const expected: Partial<Record<WithheldReason, string>> = {
  missing: 'the run ended before it wrote a report, or could not keep it; its own log says why',
  suite: 'the pull request measures none of the cells that the default branch has',
};

function withheldReason(code: string): WithheldReason {
  if (code === 'E_ARTIFACT_MISSING') return 'missing';
  if (code === 'E_REPORT_SUITE') return 'suite';
  if (code === 'E_REPORT_BASE') return 'base';
  if (code === 'E_REPORT_VERSION') return 'version';
  return /^E_(?:REPORT_|ARTIFACT_(?:HOSTILE|SIZE|DIGEST)$)/.test(code) ? 'untrusted' : 'failed';
}

/** Replaces a comment on an earlier head, which would otherwise look as if it were about this one. Never creates one. */
async function replaceComment(
  { inputs, job, annotations }: PublishAction,
  host: CodeHost,
  pullRequest: PullRequest,
  configPath: string,
  reason: WithheldReason,
): Promise<void> {
  if (inputs.comment === 'never') return;
  const marker = commentMarker(configPath, inputs.suite);
  const { headSha } = pullRequest;
  try {
    // The head is the same, and may be measured again.
    const acceptance = await keptAcceptance(host, pullRequest, marker);
    const state = acceptance && { state: acceptanceLine(acceptance) };
    const posted = await host.putComment({
      pullRequest,
      marker,
      body: renderWithheld({ marker, headSha, reason, runUrl: job.runUrl, ...state }),
      create: false,
    });
    commentNote(posted, inputs['comment-author'], annotations);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    // Only a warning, because the job still reports why there is no verdict.
    annotations.make('warning', error.message, {
      title: 'perf-gate: an outdated comment may remain',
    });
  }
}
