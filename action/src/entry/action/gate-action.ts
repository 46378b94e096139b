import { join } from 'node:path';
import * as core from '@actions/core';
import { loadConfig } from '../../adapters/config/index.ts';
import { type FolderCache, restoreFolders } from '../../adapters/github/index.ts';
import { createSystemClock, Terminal, untilAborted } from '../../adapters/host/index.ts';
import { mayMeasureBase } from '../../check/index.ts';
import type { CheckMode } from '../../model/check-mode.ts';
import type { BaselineStoreKind } from '../../model/config.ts';
import { Fault } from '../../model/fault.ts';
import { progressText } from '../../report/index.ts';
import { checkText, type NextSteps } from '../check-report.ts';
import { gitIn } from '../checkout-git.ts';
import { exitCodeOf, exitCodeOfMeasuring } from '../exit-code.ts';
import { checkCommandIn } from '../gate-command.ts';
import { type ActionCheckout, actionCheckout } from '../github/checkout.ts';
import { childEnvironment } from '../github/child-environment.ts';
import { type GitHubJob, mayRecord, mayWriteCache, type Trigger } from '../github/github-event.ts';
import { baselineAccess, type GateInputs, influxdbOf } from '../github/inputs.ts';
import { type ActionContext, note, warnOfCache, withoutCommands } from '../github/runner.ts';
import { openOutputs, outputVariables, withoutOutputSecrets, writeOutputs } from '../outputs.ts';
import { type CheckRequest, type FinishedCheck, runCheck } from '../run-check.ts';
import { readSettings, requireLinux, type Settings } from '../settings.ts';
import { stackKind } from '../stack.ts';
import { eventBase, pullRequestHead } from './event-commits.ts';
import { findK6 } from './find-k6.ts';
import { publishCheck } from './publish-check.ts';
import { type ActionState, saveActionState } from './state.ts';

export interface GateAction extends ActionContext<GateInputs> {
  /** Operating system, as Node names it. */
  readonly platform: string;
}

/** Measures the checkout, shows the verdict wherever a workflow can, and returns the exit code. */
export async function gateAction(action: GateAction): Promise<number> {
  const { inputs, job, env, platform, annotations, signal } = action;
  // First of all, because restoring the cache and downloading k6 take time.
  requireLinux(platform);
  const checkout = actionCheckout(env, inputs.config);
  const { root, configPath } = checkout;
  const loaded = loadConfig(checkout.configFile);
  const { passEnvironment, outputs } = loaded.config;
  const settings: Settings = {
    ...readSettings({ ...env, GATE_ROOT: root, CI: 'true' }, root),
    platform,
    // What the outputs read is removed again before anything is started.
    env: childEnvironment(env, [...passEnvironment, ...outputVariables(outputs)]),
  };
  const mode = modeOf(inputs, job);
  const cache = cacheOf(inputs, settings);
  const restored =
    cache &&
    (await untilAborted(signal, () => restoreFolders(cache, { env, warn: warnOfCache(annotations) })));
  if (cache !== undefined) {
    note(`cache ${cache.key}: ${restored}`);
    core.setOutput('cache-hit', String(restored === 'hit'));
  }
  const { request, head, state } = await planCheck(action, mode, checkout, loaded, settings);
  const k6 = await findK6(inputs, env, signal);
  const command = checkCommandIn(root, settings.gateDirectory, configPath, inputs.suite);
  const next: NextSteps = {
    ...(command === undefined ? {} : { command }),
    recording: { kind: 'push', branch: job.defaultBranch },
    configPath,
  };
  const result = await withoutCommands(() => measure(request, { ...settings, k6 }, next, signal));
  // Saved only now that the folders are complete: every later run would start with a partial cache.
  if (cache !== undefined && restored === 'miss' && mayWriteCache(job.trigger)) {
    saveActionState(core.saveState, { ...state, cache });
  }
  const { code } = result.verdict;
  const verdict = { ...result.verdict, code: { ...code, commit: head ?? code.commit } };
  await publishCheck(action, { ...result, verdict }, checkout, command);
  const warn = (text: string) =>
    annotations.make('warning', text, { title: 'perf-gate: figures not written' });
  await writeOutputs(result.outputs, { ...result.record, verdict }, { note, warn }, signal);
  if (result.cutShort !== undefined) throw result.cutShort.cause;
  if (result.notStored !== undefined) throw result.notStored;
  // A recorded commit is on the default branch already, so only a failed measurement counts.
  const exitCode = mode === 'record' ? exitCodeOfMeasuring : exitCodeOf;
  return exitCode(verdict, inputs['fail-on']);
}

/** Reads configuration and commits, and saves what the post step needs before anything is started. */
async function planCheck(
  { inputs, job, env, signal }: GateAction,
  mode: CheckMode,
  { root, configPath }: ActionCheckout,
  { config, directory }: ReturnType<typeof loadConfig>,
  settings: Settings,
): Promise<{ request: CheckRequest; head: string | undefined; state: ActionState }> {
  if (mode === 'auto' || mode === 'stored') refuseKeptFile(inputs['baseline-store'], job.trigger, env);
  const stack = stackKind(inputs.stack, config, settings);
  const state: ActionState = { root, stack };
  saveActionState(core.saveState, state);
  const git = gitIn(directory, withoutOutputSecrets(settings.env, config.outputs), signal);
  // Before k6 is downloaded, because it takes time.
  openOutputs(config.outputs, settings.env);
  const baseRef = mayMeasureBase(mode)
    ? (inputs['base-ref'] ?? (await eventBase(git, job.trigger)))
    : undefined;
  const request: CheckRequest = {
    configPath,
    suite: inputs.suite,
    mode,
    baseRef,
    // The next job of perf-baseline.yml records what this one measures.
    allRounds: mayRecord(job.trigger),
    vuFactor: inputs['vu-factor'],
    stack,
    baseline: baselineAccess(inputs, mode === 'record'),
    overrides: { minutes: inputs.minutes, ramp: inputs.ramp, scenarios: inputs.scenarios },
    outputs: influxdbOf(inputs),
  };
  return { request, head: await pullRequestHead(git, job.trigger), state };
}

/**
 * On a runner that is kept, the code of one pull request could rewrite the file that judges the next. GitHub's own runners
 * begin empty.
 */
function refuseKeptFile(store: BaselineStoreKind, { kind }: Trigger, env: NodeJS.ProcessEnv): void {
  if (store !== 'file' || kind !== 'pull-request' || env.RUNNER_ENVIRONMENT !== 'self-hosted') return;
  throw new Fault({
    code: 'E_BASELINE_KEPT_FILE',
    kind: 'usage',
    place: 'input baseline-store',
    cause:
      'on a self-hosted runner, code of an earlier pull request may have changed the file of the baseline',
    nextStep: 'use `baseline-store: branch`, or compare side by side (`compare: side-by-side`)',
  });
}

/**
 * Only a push to the default branch adds to the baseline, whatever the inputs say. This job runs code of the project, so it must
 * not hold the token that writes the branch.
 */
function modeOf(inputs: GateInputs, { trigger }: GitHubJob): CheckMode {
  if (!inputs.record) return inputs.compare;
  if (inputs['baseline-store'] === 'branch') {
    throw new Fault({
      code: 'E_RECORD_BRANCH',
      kind: 'usage',
      place: 'input record',
      cause: 'this job runs code of the project, which could read a token that may write the baseline branch',
      nextStep:
        'measure without `record`, keep report-json as an artifact, and add it with action/record in a second job, as perf-baseline.yml does',
    });
  }
  if (trigger.kind === 'push' && trigger.toDefaultBranch) return 'record';
  throw new Fault({
    code: 'E_RECORD_TRIGGER',
    kind: 'usage',
    place: 'input record',
    cause: 'only a push to the default branch of the same repository may add to the baseline',
    nextStep: 'set `record` only in a workflow that runs on such a push',
  });
}

function cacheOf(inputs: GateInputs, settings: Settings): FolderCache | undefined {
  if (inputs.cache === '') return undefined;
  const own = ['data', 'snapshots'].map((name) => join(settings.cacheDirectory, name));
  return {
    key: `perf-gate-${process.platform}-${process.arch}-${inputs.cache}`,
    paths: [...own, ...inputs['cache-path']],
  };
}

async function measure(
  request: CheckRequest,
  settings: Settings,
  next: NextSteps,
  signal: AbortSignal,
): Promise<FinishedCheck> {
  const terminal = new Terminal({
    // One stream, because the runner does not keep the order of two.
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
