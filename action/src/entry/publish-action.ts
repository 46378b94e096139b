import { resolve } from 'node:path';
import * as core from '@actions/core';
import { loadConfig } from '../adapters/config-file.ts';
import { createGitHub } from '../adapters/github.ts';
import { parseReportFile, reportFileName } from '../adapters/report-file.ts';
import { judge } from '../judge/judge.ts';
import { planSuite } from '../measure/plan.ts';
import type { BaselineStore, CodeHost, PullRequestRun } from '../measure/ports.ts';
import { exitCodes, Fault } from '../model/fault.ts';
import type { ReportFile } from '../model/report-file.ts';
import type { Verdict } from '../model/verdict.ts';
import { isWorthAComment, verdictOutputs } from '../report/action-outputs.ts';
import { actionBaseline } from './action-baseline.ts';
import type { PublishInputs } from './action-inputs.ts';
import { actionReports } from './action-reports.ts';
import { note } from './action-runner.ts';
import { judgeOptions, readBaseline } from './check.ts';
import { childEnvironment } from './child-environment.ts';
import { commentNote } from './gate-action.ts';
import { checkCommandIn } from './gate-command.ts';
import type { GitHubJob } from './github-event.ts';
import { findGateDirectory } from './settings.ts';

export interface PublishAction {
  readonly inputs: PublishInputs;
  readonly job: GitHubJob;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/**
 * The trusted side: judges the figures of a pull request's job anew, against this repository's own configuration and
 * baseline, and writes its own words to the pull request that GitHub says they belong to.
 */
export async function publishAction({ inputs, job, env, signal }: PublishAction): Promise<number> {
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
  if (attribution.kind === 'several') {
    return nothingToDo(`pull requests ${attribution.numbers.join(', ')} share this head: none is chosen`);
  }
  const { pullRequest } = attribution;
  const report = await fetchReport(host, run, inputs.artifact);
  if (report === undefined)
    return nothingToDo('the run ended before it had a report, or could not keep it: its own log says why');
  const root = resolve(env.GITHUB_WORKSPACE ?? process.cwd());
  const verdict = await verdictOf(inputs, report, run, {
    root,
    store: actionBaseline(inputs, root, childEnvironment(env), signal),
  });
  const reports = actionReports(verdict, {
    configFile: resolve(root, inputs.config),
    configPath: inputs.config,
    command: checkCommandIn(root, findGateDirectory(), inputs.config),
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
  // Asked again at the last moment: judging took its time.
  if (inputs.comment !== 'never' && !(await host.isCurrent(pullRequest))) {
    return nothingToDo(`#${pullRequest.number} was closed or has moved on meanwhile`);
  }
  const withoutComment =
    inputs.comment === 'never'
      ? undefined
      : commentNote(
          await host.putComment({
            pullRequest: pullRequest.number,
            marker: reports.marker,
            body: reports.comment,
            create: inputs.comment === 'always' || isWorthAComment(verdict),
          }),
          inputs['comment-author'],
        );
  await core.summary.addRaw(reports.summary(withoutComment)).write();
  return exitCodes.pass;
}

function nothingToDo(reason: string): number {
  core.notice(reason, { title: 'perf-gate: nothing posted' });
  return exitCodes.pass;
}

/** Undefined if the run kept none. */
async function fetchReport(
  host: CodeHost,
  run: PullRequestRun,
  artifact: string,
): Promise<ReportFile | undefined> {
  try {
    const { text, place } = await host.readArtifact(run, artifact, reportFileName);
    return parseReportFile(text, place);
  } catch (error) {
    if (error instanceof Fault && error.details.code === 'E_ARTIFACT_MISSING') return undefined;
    throw error;
  }
}

interface Judging {
  readonly root: string;
  readonly store: BaselineStore;
}

async function verdictOf(
  inputs: PublishInputs,
  report: ReportFile,
  run: PullRequestRun,
  { root, store }: Judging,
): Promise<Verdict> {
  const { config } = loadConfig(resolve(root, inputs.config));
  const plan = planSuite(config, report.run.suite, inputs.config, { vuFactor: report.vuFactor });
  const baseline = await readBaseline(store);
  return judge({
    // Which commit was measured is GitHub's to say.
    run: { ...report.run, code: { commit: run.headSha, branch: run.headBranch, dirty: false } },
    base: { kind: 'stored', runs: baseline.runs },
    options: judgeOptions(config, plan),
    createdAt: new Date().toISOString(),
    seconds: report.seconds,
  });
}
