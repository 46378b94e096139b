import * as core from '@actions/core';
import { loadConfig } from '../../adapters/config/index.ts';
import { createGitHub } from '../../adapters/github/index.ts';
import { createSystemClock } from '../../adapters/host/index.ts';
import { parseReportFile, reportFileName } from '../../adapters/results/index.ts';
import {
  type CodeHost,
  judgeSuite,
  type PullRequest,
  type PullRequestRun,
  readStoredRuns,
} from '../../check/index.ts';
import { planSuite } from '../../measure/index.ts';
import { exitCodes, Fault } from '../../model/fault.ts';
import type { ReportFile } from '../../model/report-file.ts';
import type { Interleaved, Run } from '../../model/run.ts';
import type { Verdict } from '../../model/verdict.ts';
import {
  commentMarker,
  isWorthAComment,
  renderWithheld,
  verdictOutputs,
  type WithheldReason,
} from '../../report/index.ts';
import { type ActionCheckout, actionCheckout } from '../action/checkout.ts';
import { childEnvironment } from '../action/child-environment.ts';
import { commentFailure, commentNote } from '../action/comment-note.ts';
import type { GitHubJob } from '../action/github-event.ts';
import { baselineAccess, type PublishInputs } from '../action/inputs.ts';
import { type ActionReports, actionReports } from '../action/reports.ts';
import { note } from '../action/runner.ts';
import type { StepAnnotations } from '../action/step-annotations.ts';
import { openBaseline } from '../baseline-store.ts';
import { checkCommandIn } from '../gate-command.ts';
import { findGateDirectory, type Settings } from '../settings.ts';
import { inOwnWords } from './own-words.ts';

export interface PublishAction {
  readonly inputs: PublishInputs;
  readonly job: GitHubJob;
  readonly env: NodeJS.ProcessEnv;
  readonly annotations: StepAnnotations;
  readonly signal: AbortSignal;
}

/**
 * The trusted side: judges the figures of a pull request's job anew, against this repository's own configuration and
 * baseline, and writes its own words to the pull request that GitHub says they belong to.
 */
export async function publishAction({
  inputs,
  job,
  env,
  annotations,
  signal,
}: PublishAction): Promise<number> {
  const { trigger, apiUrl, owner, name } = job;
  if (trigger.kind !== 'workflow-run') {
    throw new Fault({
      code: 'E_PUBLISH_TRIGGER',
      kind: 'usage',
      place: 'perf-gate/publish',
      cause: 'it posts what another workflow measured, and this job was not started by the end of one',
      nextStep: 'use it in a workflow that runs `on: workflow_run`',
    });
  }
  if (trigger.run === undefined) return nothingToDo('that run did not belong to a pull request');
  const { run } = trigger;
  const host = createGitHub({
    apiUrl,
    owner,
    name,
    token: inputs['github-token'],
    author: inputs['comment-author'],
    note,
    signal,
  });
  const attribution = await host.attribute(run);
  if (attribution.kind === 'none') {
    return nothingToDo('no open pull request has this head any more: it was closed, or has moved on');
  }
  if (attribution.kind === 'overtaken') {
    return nothingToDo(`attempt ${run.attempt} of that run is not its newest: the newest is what counts`);
  }
  const { root, configFile, configPath } = actionCheckout(env, inputs.config);
  const withhold = (number: number, reason: WithheldReason) =>
    replaceComment(host, { ...run, number }, { inputs, configPath, reason, runUrl: job.runUrl, annotations });
  if (attribution.kind === 'several') {
    for (const number of attribution.numbers) await withhold(number, 'several');
    return nothingToDo(`pull requests ${attribution.numbers.join(', ')} share this head: none is chosen`);
  }
  const { pullRequest } = attribution;
  let verdict: Verdict;
  try {
    const { text, place } = await host.readArtifact(run, inputs.artifact, reportFileName);
    verdict = await verdictOf(inputs, parseReportFile(text, place), run, {
      root,
      configFile,
      configPath,
      env: childEnvironment(env),
      signal,
    });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const reason = withheldReason(error.details.code);
    await withhold(pullRequest.number, reason);
    const harmless = withoutFault[reason];
    if (harmless === undefined) throw error;
    return nothingToDo(harmless);
  }
  const reports = actionReports(verdict, {
    configFile,
    configPath,
    command: checkCommandIn(root, findGateDirectory(), configPath),
    runUrl: job.runUrl,
    branch: job.defaultBranch,
    ...(run.headRepository === `${owner}/${name}` ? {} : { fork: run.headRepository }),
  });
  for (const [key, value] of Object.entries({
    ...verdictOutputs(verdict),
    'pull-request': String(pullRequest.number),
    'comment-body': reports.comment,
  })) {
    core.setOutput(key, value);
  }
  const summarise = (withoutComment: string | undefined) =>
    core.summary.addRaw(reports.summary(withoutComment)).write();
  let withoutComment: string | undefined;
  try {
    withoutComment = await comment(host, { pullRequest, inputs, reports, verdict, annotations });
  } catch (error) {
    // This job is there to comment, so it fails without; the verdict can be read all the same.
    if (error instanceof Fault) await summarise(commentFailure(error));
    throw error;
  }
  await summarise(withoutComment);
  return exitCodes.pass;
}

/** Why there is no comment, if there is none. */
async function comment(
  host: CodeHost,
  about: {
    readonly pullRequest: PullRequest;
    readonly inputs: PublishInputs;
    readonly reports: ActionReports;
    readonly verdict: Verdict;
    readonly annotations: StepAnnotations;
  },
): Promise<string | undefined> {
  const { pullRequest, inputs, reports, verdict, annotations } = about;
  if (inputs.comment === 'never') return undefined;
  const posted = await host.putComment({
    pullRequest,
    marker: reports.marker,
    body: reports.comment,
    create: inputs.comment === 'always' || isWorthAComment(verdict),
  });
  return commentNote(posted, inputs['comment-author'], annotations);
}

function nothingToDo(reason: string): number {
  core.notice(reason, { title: 'perf-gate: nothing posted' });
  return exitCodes.pass;
}

/** What nobody has to mend. */
const withoutFault: Partial<Record<WithheldReason, string>> = {
  missing: 'the run ended before it had a report, or could not keep it: its own log says why',
  suite: 'the pull request changes what is measured: its own check is the verdict',
};

function withheldReason(code: string): WithheldReason {
  if (code === 'E_ARTIFACT_MISSING') return 'missing';
  if (code === 'E_REPORT_SUITE') return 'suite';
  if (code === 'E_REPORT_NEWER') return 'newer';
  return /^E_(?:REPORT_|ARTIFACT_(?:HOSTILE|SIZE|DIGEST)$)/.test(code) ? 'untrusted' : 'failed';
}

/** A comment on an earlier head is not left standing as if it were on this one; where there is none, none is made. */
async function replaceComment(
  host: CodeHost,
  pullRequest: PullRequest,
  about: {
    readonly inputs: PublishInputs;
    readonly configPath: string;
    readonly reason: WithheldReason;
    readonly runUrl: string;
    readonly annotations: StepAnnotations;
  },
): Promise<void> {
  const { inputs, configPath, reason, runUrl, annotations } = about;
  if (inputs.comment === 'never') return;
  const marker = commentMarker(configPath, inputs.suite);
  const { number, headSha, headRepository } = pullRequest;
  try {
    const posted = await host.putComment({
      pullRequest: { number, headSha, headRepository },
      marker,
      body: renderWithheld({ marker, headSha, reason, runUrl }),
      create: false,
    });
    commentNote(posted, inputs['comment-author'], annotations);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    // Why there is no report is the graver thing to tell.
    annotations.make('warning', error.message, {
      title: 'perf-gate: an outdated comment may still stand',
    });
  }
}

interface Means extends Pick<ActionCheckout, 'root' | 'configFile' | 'configPath'> {
  readonly env: Settings['env'];
  readonly signal: AbortSignal;
}

async function verdictOf(
  inputs: PublishInputs,
  report: ReportFile,
  run: PullRequestRun,
  { root, configFile, configPath, env, signal }: Means,
): Promise<Verdict> {
  const { config } = loadConfig(configFile);
  const plan = planSuite(config, inputs.suite, configPath, { vuFactor: report.vuFactor });
  const clock = createSystemClock();
  const { store } = openBaseline(baselineAccess(inputs, false), config.baseline, {
    root,
    env,
    clock,
    signal,
  });
  const runs = await readStoredRuns(store);
  const own = (measured: Run) => inOwnWords(measured, { plan, runs });
  const { beside } = report;
  return judgeSuite(
    config,
    plan,
    {
      // Which commit was measured is GitHub's to say.
      run: { ...own(report.run), code: { commit: run.headSha, branch: run.headBranch, dirty: false } },
      ...(beside === undefined ? {} : { interleaved: besideInOwnWords(beside, own) }),
      stored: runs,
    },
    { createdAt: clock.now(), seconds: report.seconds },
  );
}

function besideInOwnWords({ base, head }: Interleaved, own: (run: Run) => Run): Interleaved {
  const part = (run: Run): Run => ({
    ...own(run),
    code: { commit: run.code.commit, branch: '', dirty: false },
  });
  return { base: part(base), ...(head === undefined ? {} : { head: part(head) }) };
}
