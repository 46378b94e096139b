import { stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import * as core from '@actions/core';
import { loadConfig } from '../../adapters/config/index.ts';
import { createGitHub, type FolderCache, restoreFolders } from '../../adapters/github/index.ts';
import { createSystemClock, openTerminal, untilAborted } from '../../adapters/host/index.ts';
import { createK6, downloadK6 } from '../../adapters/k6/index.ts';
import { whyNotPublished, writeReportFile, writeReports } from '../../adapters/results/index.ts';
import { mayMeasureBase } from '../../check/index.ts';
import type { CheckMode } from '../../model/check-mode.ts';
import { exitCodes, Fault } from '../../model/fault.ts';
import { reportFileSchemaVersion } from '../../model/report-file.ts';
import type { Verdict } from '../../model/verdict.ts';
import { isWorthAComment, progressText, reporters, verdictOutputs } from '../../report/index.ts';
import { checkText, type NextSteps } from '../check-report.ts';
import { gitIn } from '../checkout-git.ts';
import { exitCodeOf } from '../exit-code.ts';
import { checkCommandIn } from '../gate-command.ts';
import { type CheckRequest, type FinishedCheck, runCheck } from '../run-check.ts';
import { readSettings, requireLinux, type Settings } from '../settings.ts';
import { stackKind } from '../stack.ts';
import { type ActionCheckout, actionCheckout } from './checkout.ts';
import { childEnvironment } from './child-environment.ts';
import { commentFailure, commentNote } from './comment-note.ts';
import { eventBase } from './event-base.ts';
import { type GitHubJob, mayWriteCache } from './github-event.ts';
import { baselineAccess, type GateInputs } from './inputs.ts';
import { pullRequestHead } from './pull-request-head.ts';
import { type ActionReports, actionReports } from './reports.ts';
import { note, warnOfCache, withoutCommands } from './runner.ts';
import { saveActionState } from './state.ts';
import type { StepAnnotations } from './step-annotations.ts';

const k6Releases = 'https://github.com/grafana/k6/releases/download';

export interface GateAction {
  readonly inputs: GateInputs;
  readonly job: GitHubJob;
  readonly env: NodeJS.ProcessEnv;
  /** Operating system, as Node names it. */
  readonly platform: string;
  readonly annotations: StepAnnotations;
  readonly signal: AbortSignal;
}

/** Measures the checkout, says what came of it wherever a workflow shows something, and answers with the exit code. */
export async function gateAction(action: GateAction): Promise<number> {
  const { inputs, job, env, platform, annotations, signal } = action;
  // Before the cache is asked and k6 is fetched.
  requireLinux(platform);
  const checkout = actionCheckout(env, inputs.config);
  const { root, configPath } = checkout;
  const settings: Settings = {
    ...readSettings({ ...env, GATE_ROOT: root, CI: 'true' }, root),
    platform,
    env: childEnvironment(env),
  };
  const mode = modeOf(inputs, job);
  const cache = cacheOf(inputs, settings);
  const restored =
    cache === undefined
      ? 'unavailable'
      : await untilAborted(signal, () => restoreFolders(cache, { env, warn: warnOfCache(annotations) }));
  if (cache !== undefined) note(`cache ${cache.key}: ${restored}`);

  const { config, directory } = loadConfig(checkout.configFile);
  const kind = stackKind(inputs.stack, config, settings);
  saveActionState(core.saveState, { root, stack: kind });
  const k6 = await findK6(inputs, env, signal);
  const git = gitIn(directory, settings.env, signal);
  const baseRef = mayMeasureBase(mode)
    ? (inputs['base-ref'] ?? (await eventBase(git, job.trigger)))
    : undefined;
  const head = await pullRequestHead(git, job.trigger);
  const command = checkCommandIn(root, settings.gateDirectory, configPath);
  const result = await withoutCommands(() =>
    measure(
      {
        configPath,
        suite: inputs.suite,
        mode,
        ...(baseRef === undefined ? {} : { baseRef }),
        vuFactor: inputs['vu-factor'],
        stack: kind,
        baseline: baselineAccess(inputs, mode === 'record'),
        overrides: {
          ...(inputs.minutes === undefined ? {} : { minutes: inputs.minutes }),
          ...(inputs.ramp === undefined ? {} : { ramp: inputs.ramp }),
        },
      },
      { ...settings, k6 },
      {
        ...(command === undefined ? {} : { command }),
        recording: { kind: 'push', branch: job.defaultBranch },
        configPath,
      },
      signal,
    ),
  );
  // Only now it is complete: half of it would be what every later run begins with.
  if (cache !== undefined && restored === 'miss' && mayWriteCache(job.trigger)) {
    saveActionState(core.saveState, { root, stack: kind, cache });
  }
  const { code } = result.verdict;
  const verdict = { ...result.verdict, code: { ...code, commit: head ?? code.commit } };
  await publish(action, { ...result, verdict }, checkout, command);
  if (result.notStored !== undefined) throw result.notStored;
  return exitCode(inputs, mode, verdict);
}

/** Only a push to the default branch adds to the baseline, whatever the inputs ask for. */
function modeOf(inputs: GateInputs, { trigger }: GitHubJob): CheckMode {
  if (inputs.record) {
    if (trigger.kind === 'push' && trigger.toDefaultBranch) return 'record';
    throw new Fault({
      code: 'E_RECORD_TRIGGER',
      kind: 'usage',
      place: 'input record',
      cause: 'only a push to the default branch of the same repository may add to the baseline',
      nextStep: 'set `record` in a workflow that runs on such a push only',
    });
  }
  return inputs.compare;
}

function cacheOf(inputs: GateInputs, settings: Settings): FolderCache | undefined {
  if (inputs['cache-key'] === '') return undefined;
  const own = ['data', 'snapshots'].map((name) => join(settings.cacheDirectory, name));
  return {
    key: `perf-gate-${process.platform}-${process.arch}-${inputs['cache-key']}`,
    paths: [...own, ...inputs['cache-paths']],
  };
}

/** One that is there is taken if it is the very version; figures differ between versions. */
export async function findK6(
  inputs: Pick<GateInputs, 'k6-version' | 'k6-sha256'>,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<string> {
  const version = inputs['k6-version'];
  for (const binary of [env.GATE_K6 ?? '', 'k6'].filter((one) => one !== '')) {
    if (await isVersion(binary, env.PATH, version)) return binary;
  }
  const url = env.PERF_GATE_K6_URL ?? k6Releases;
  return downloadK6({ version, sha256: inputs['k6-sha256'], url, signal });
}

async function isVersion(binary: string, path: string | undefined, version: string): Promise<boolean> {
  try {
    const k6 = createK6({ binary, ...(path === undefined ? {} : { path }) });
    return (await k6.version()) === version;
  } catch (error) {
    // Not there, or not k6: the next place is looked at, and the release page in the end.
    if (error instanceof Fault) return false;
    throw error;
  }
}

async function measure(
  request: CheckRequest,
  settings: Settings,
  next: NextSteps,
  signal: AbortSignal,
): Promise<FinishedCheck> {
  const terminal = openTerminal({
    // One stream: the runner does not keep the order of two.
    stdout: process.stdout,
    stderr: process.stdout,
    env: settings.env,
    ci: settings.ci,
    clock: createSystemClock(),
    text: progressText,
  });
  try {
    const result = await runCheck(request, settings, terminal.onProgress, signal);
    terminal.print(checkText(result, next, terminal));
    return result;
  } finally {
    terminal.close();
  }
}

async function publish(
  action: GateAction,
  result: FinishedCheck,
  { workspace, root, configFile, configPath }: ActionCheckout,
  command: string | undefined,
): Promise<void> {
  const { inputs, job, annotations } = action;
  const { verdict, run, interleaved: beside } = result;
  const directory = resolve(root, result.resultDirectory);
  const fork = job.trigger.kind === 'pull-request' ? job.trigger.fork : undefined;
  const reports = actionReports(verdict, {
    configFile,
    configPath,
    command,
    runUrl: job.runUrl,
    branch: job.defaultBranch,
    ...(fork === undefined ? {} : { fork }),
    ...(result.stored ? { storedIn: result.baselinePlace } : {}),
  });
  const report = await writeReportFile(directory, {
    schema: reportFileSchemaVersion,
    vuFactor: inputs['vu-factor'],
    seconds: verdict.seconds,
    run,
    ...(beside === undefined ? {} : { beside }),
  });
  if (job.trigger.kind === 'pull-request') await warnIfTooLong(report, annotations);
  await writeReports(directory, reports.files());
  for (const [name, value] of Object.entries({
    ...verdictOutputs(verdict),
    'report-json': relative(workspace, report),
    'report-html': relative(workspace, join(directory, reporters.page.file)),
    'comment-body': reports.comment,
  })) {
    core.setOutput(name, value);
  }
  const withoutComment = await comment(action, reports, verdict);
  await core.summary.addRaw(reports.summary(withoutComment)).write();
  for (const { level, message, ...properties } of reports.annotations(annotations.made)) {
    const { line, ...rest } = properties;
    const place = { ...rest, ...(line === undefined ? {} : { startLine: line }) };
    annotations.make(level, message, place);
  }
}

/** Told here: the job that would publish it sees no more than that it is too long. */
async function warnIfTooLong(report: string, annotations: StepAnnotations): Promise<void> {
  const why = whyNotPublished((await stat(report)).size);
  if (why !== undefined) {
    annotations.make('warning', why, { title: 'perf-gate: report too long to publish' });
  }
}

/** Why there is no comment, if there is none. Nothing that goes wrong here changes the verdict. */
async function comment(
  { inputs, job, annotations, signal }: GateAction,
  reports: ActionReports,
  verdict: Verdict,
): Promise<string | undefined> {
  if (inputs.comment === 'never' || job.trigger.kind !== 'pull-request') return undefined;
  if (inputs['github-token'] === '') return 'There is no comment, as no token was given to write one.';
  const { pullRequest } = job.trigger;
  const { apiUrl, owner, name } = job;
  const host = createGitHub({
    apiUrl,
    owner,
    name,
    token: inputs['github-token'],
    author: inputs['comment-author'],
    note,
    signal,
  });
  try {
    const posted = await host.putComment({
      pullRequest,
      marker: reports.marker,
      body: reports.comment,
      create: inputs.comment === 'always' || isWorthAComment(verdict),
    });
    return commentNote(posted, inputs['comment-author'], annotations);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    annotations.make('warning', error.message, { title: 'perf-gate: no comment' });
    return commentFailure(error);
  }
}

function exitCode(inputs: GateInputs, mode: CheckMode, { outcome }: Verdict): number {
  if (inputs['fail-on'] === 'never') return exitCodes.pass;
  if (mode === 'record') return outcome === 'invalid' ? exitCodes.notMeasured : exitCodes.pass;
  return exitCodeOf(outcome, inputs['fail-on'] === 'inconclusive' ? 'fail' : 'pass');
}
