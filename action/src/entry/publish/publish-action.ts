import * as core from '@actions/core';
import { loadConfig } from '../../adapters/config/index.ts';
import { createSystemClock } from '../../adapters/host/index.ts';
import { parseReportFile, reportFileName } from '../../adapters/results/index.ts';
import {
  type CodeHost,
  type CommitStatus,
  judgeSuite,
  type PullRequest,
  type PullRequestRun,
  readStoredRuns,
} from '../../check/index.ts';
import { planSuite } from '../../measure/index.ts';
import { exitCodes, Fault } from '../../model/fault.ts';
import type { ReportFile } from '../../model/report-file.ts';
import type { Run } from '../../model/run.ts';
import type { Verdict } from '../../model/verdict.ts';
import { commentMarker, renderWithheld, verdictOutputs, type WithheldReason } from '../../report/index.ts';
import { openBaseline } from '../baseline-store.ts';
import { checkCommandIn } from '../gate-command.ts';
import { type ActionCheckout, actionCheckout } from '../github/checkout.ts';
import { childEnvironment } from '../github/child-environment.ts';
import { commentFailure, commentNote, commentVerdict, openCodeHost } from '../github/comment.ts';
import { baselineAccess, type PublishInputs } from '../github/inputs.ts';
import { actionReports, setOutputs } from '../github/reports.ts';
import type { ActionContext } from '../github/runner.ts';
import { findGateDirectory } from '../settings.ts';
import { statusContext, statusOf, statusWithout } from './commit-status.ts';
import { restateRun } from './restate-run.ts';

type PublishAction = ActionContext<PublishInputs>;

/**
 * The trusted side. It judges the figures of a pull request's job again, with this repository's own configuration and
 * baseline, and comments in its own words on the pull request that GitHub names.
 */
export async function publishAction(action: PublishAction): Promise<number> {
  const { inputs, job, env, annotations } = action;
  const { trigger } = job;
  if (trigger.kind !== 'workflow-run') {
    throw new Fault({
      code: 'E_PUBLISH_TRIGGER',
      kind: 'usage',
      place: 'perf-gate/publish',
      cause: 'it posts what another workflow measured, but no finished workflow started this job',
      nextStep: 'use it in a workflow that runs `on: workflow_run`',
    });
  }
  if (trigger.run === undefined) return nothingToDo('that run did not belong to a pull request');
  const { run } = trigger;
  const host = openCodeHost(action);
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
  const withhold = async (numbers: readonly number[], reason: WithheldReason) => {
    await setStatus(statusWithout(reason));
    for (const number of numbers) {
      await replaceComment(action, host, { ...run, number }, checkout.configPath, reason);
    }
  };
  if (attribution.kind === 'several') {
    await withhold(attribution.numbers, 'several');
    return nothingToDo(`pull requests ${attribution.numbers.join(', ')} share this head, so none is chosen`);
  }
  const { pullRequest } = attribution;
  let verdict: Verdict;
  try {
    const { text, place } = await host.readArtifact(run, inputs.artifact, reportFileName);
    verdict = await judgeReport(action, parseReportFile(text, place), run, checkout);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const reason = withheldReason(error.details.code);
    await withhold([pullRequest.number], reason);
    const harmless = expected[reason];
    if (harmless === undefined) throw error;
    return nothingToDo(harmless);
  }
  // Before the comment, whose failure must not leave the commit without a status.
  await setStatus(statusOf(verdict, inputs['fail-on']));
  await publishVerdict(action, host, { run, pullRequest, verdict }, checkout);
  return exitCodes.pass;
}

async function publishVerdict(
  action: PublishAction,
  host: CodeHost,
  about: { readonly run: PullRequestRun; readonly pullRequest: PullRequest; readonly verdict: Verdict },
  { root, configFile, configPath }: ActionCheckout,
): Promise<void> {
  const { job } = action;
  const { run, pullRequest, verdict } = about;
  const reports = actionReports(verdict, {
    configFile,
    configPath,
    command: checkCommandIn(root, findGateDirectory(), configPath),
    runUrl: job.runUrl,
    branch: job.defaultBranch,
    ...(run.headRepository === `${job.owner}/${job.name}` ? {} : { fork: run.headRepository }),
  });
  setOutputs({
    ...verdictOutputs(verdict),
    'pull-request': String(pullRequest.number),
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

function nothingToDo(reason: string): number {
  core.notice(reason, { title: 'perf-gate: nothing posted' });
  return exitCodes.pass;
}

/** Reasons that nobody needs to fix. */
const expected: Partial<Record<WithheldReason, string>> = {
  missing: 'the run ended before it wrote a report, or could not keep it; its own log says why',
  suite: 'the pull request changes what is measured, so its own check is the verdict',
};

function withheldReason(code: string): WithheldReason {
  if (code === 'E_ARTIFACT_MISSING') return 'missing';
  if (code === 'E_REPORT_SUITE') return 'suite';
  if (code === 'E_REPORT_VERSION') return 'version';
  return /^E_(?:REPORT_|ARTIFACT_(?:HOSTILE|SIZE|DIGEST)$)/.test(code) ? 'untrusted' : 'failed';
}

/** Replaces a comment on an earlier head, which would otherwise look as if it were about this one. Never creates one. */
async function replaceComment(
  { inputs, job, annotations }: PublishAction,
  host: CodeHost,
  { number, headSha, headRepository }: PullRequest,
  configPath: string,
  reason: WithheldReason,
): Promise<void> {
  if (inputs.comment === 'never') return;
  const marker = commentMarker(configPath, inputs.suite);
  try {
    const posted = await host.putComment({
      pullRequest: { number, headSha, headRepository },
      marker,
      body: renderWithheld({ marker, headSha, reason, runUrl: job.runUrl }),
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

async function judgeReport(
  { inputs, env, signal }: PublishAction,
  report: ReportFile,
  run: PullRequestRun,
  { root, configFile, configPath }: ActionCheckout,
): Promise<Verdict> {
  const { config } = loadConfig(configFile);
  const plan = planSuite(config, inputs.suite, configPath, { vuFactor: report.vuFactor });
  const clock = createSystemClock();
  const options = { root, env: childEnvironment(env), clock, signal };
  const { store } = openBaseline(baselineAccess(inputs, false), config.baseline, options);
  const stored = await readStoredRuns(store);
  // GitHub says which commit and branch the run belongs to; only the base commit comes from the report.
  const restate = (measured: Run, commit = run.headSha, branch = run.headBranch): Run => ({
    ...restateRun(measured, { plan, runs: stored }),
    code: { commit, branch, dirty: false },
  });
  const restateBase = (one: Run): Run => restate(one, one.code.commit, '');
  const { base, again } = report;
  return judgeSuite(
    config,
    plan,
    {
      run: restate(report.run),
      ...(base && { base: restateBase(base) }),
      ...(again && { again: { base: restateBase(again.base), head: restate(again.head) } }),
      stored,
    },
    { createdAt: clock.now(), seconds: report.seconds },
  );
}
