import { relative, resolve } from 'node:path';
import { loadConfig } from '../adapters/config/index.ts';
import {
  checkoutBase,
  forkPoint,
  type Git,
  isInHistory,
  readCode,
  resolveCommit,
} from '../adapters/git/index.ts';
import {
  appendProfile,
  appendSeries,
  partFolder,
  readRecord,
  writeRunFile,
  writeStoredRuns,
  writeVerdictFile,
} from '../adapters/results/index.ts';
import {
  type CheckPlan,
  type CheckPorts,
  type CheckResult,
  check,
  requireWritable,
  type SuiteOverrides,
  withOverrides,
} from '../check/index.ts';
import {
  type BlockTools,
  measureSides,
  type Plan,
  type ProgressListener,
  planSuite,
} from '../measure/index.ts';
import type { CheckMode } from '../model/check-mode.ts';
import type { Config, StackKind } from '../model/config.ts';
import type { CheckRecord } from '../model/record.ts';
import { type BaselineAccess, openBaseline } from './baseline-store.ts';
import { gitIn, gitLeftovers } from './checkout-git.ts';
import { requireCurrentWaivers } from './current-waivers.ts';
import { inLockedCheckout } from './in-locked-checkout.ts';
import { judgingChangesSince } from './judging-since.ts';
import { openLiveOutputs } from './live-outputs.ts';
import { hashLoad, openMeasuring } from './measuring.ts';
import { type Outputs, openOutputs, withoutOutputSecrets } from './outputs.ts';
import { requireLinux, type Settings } from './settings.ts';
import { type ChosenStack, chooseStack, type StackRequest } from './stack.ts';
import { baseWorkspace } from './workspace.ts';

export interface CheckRequest {
  /** Path of gate.yml. */
  readonly configPath: string;
  readonly suite: string;
  readonly mode: CheckMode;
  /** Commit, branch or tag to compare with. The default is the newest stored commit, or the fork point. */
  readonly baseRef?: string | undefined;
  /** Multiplies the virtual users. */
  readonly vuFactor: number;
  /** How to run the service. By default the machine and the configuration decide. */
  readonly stack: StackKind | undefined;
  readonly baseline: BaselineAccess;
  readonly isExplained?: CheckPlan['isExplained'];
  readonly allRounds?: CheckPlan['allRounds'];
  readonly overrides?: SuiteOverrides;
  /** Outputs in addition to those of the configuration. */
  readonly outputs?: Outputs['targets'];
  /** Whether the outputs get the figures of each second while it measures. */
  readonly live?: boolean;
}

export interface FinishedCheck extends CheckResult {
  readonly record: CheckRecord;
  /** Not written yet, because only the caller knows when the verdict is shown. */
  readonly outputs: Outputs;
  /** How reports name the baseline. */
  readonly baselinePlace: string;
  /** Folder of run.json, verdict.json and the logs, relative to the working directory. */
  readonly resultDirectory: string;
}

/** Checks the code of this checkout on this machine. */
export async function runCheck(
  request: CheckRequest,
  given: Settings,
  onProgress: ProgressListener,
  signal: AbortSignal,
): Promise<FinishedCheck> {
  requireLinux(given.platform);
  const { configPath, suite: suiteName, mode, baseRef, isExplained, allRounds } = request;
  const loaded = loadConfig(resolve(given.workingDirectory, configPath));
  const config = withOverrides(loaded.config, suiteName, request.overrides ?? {});
  const opened = openOutputs(config.outputs, given.env);
  const settings: Settings = { ...given, env: withoutOutputSecrets(given.env, config.outputs) };
  const { root, env, workingDirectory } = settings;
  const suite = planSuite(config, suiteName, configPath, { vuFactor: request.vuFactor });
  const configured = configuredPlan(request, loaded.config);
  requireCurrentWaivers(config, new Date(), configPath);
  const {
    request: head,
    stack,
    tools,
  } = openMeasuring(
    { configPath, config, configDirectory: loaded.directory, stack: request.stack },
    settings,
    onProgress,
  );
  const { workspace, clock } = head;
  const gitFiles = gitLeftovers(workspace);
  const baseline = openBaseline(request.baseline, config.baseline, { root, env, clock, signal, gitFiles });
  const outputs: Outputs = { gate: config.name, targets: [...opened.targets, ...(request.outputs ?? [])] };
  const live = request.live ? openLiveOutputs(outputs, suiteName, head.note, signal) : undefined;
  const plan: CheckPlan = { mode, runId: workspace.runId, config, suite, baseRef, isExplained, allRounds };
  const gitAt = (folder: string) => gitIn(folder, env, signal, gitFiles.commands);
  const git = gitAt(loaded.directory);
  const ports: CheckPorts = {
    clock,
    commits: {
      head: () => readCode(gitAt(stack.root), stack.sources),
      resolve: (reference) => resolveCommit(git, reference, { clock, signal, token: request.baseline.token }),
      isInHistory: (commit) => isInHistory(git, commit),
      forkPoint: () => forkPoint(git),
      judgingChanges: (base) => judgingChangesSince(git, base, loaded.config, configPath),
    },
    stacks: { head: () => stack.create(), base: (commit) => baseStack(stack, head, git, commit) },
    measure: measurer(plan, configured, tools, head, onProgress),
    baseline,
    results: {
      writeRun: (part, run) => writeRunFile(partFolder(workspace.resultDirectory, part), run),
      appendSeries: (part, series) => appendSeries(partFolder(workspace.resultDirectory, part), series),
      appendProfile: (part, profile) => appendProfile(partFolder(workspace.resultDirectory, part), profile),
      writeVerdict: (verdict) => writeVerdictFile(workspace.resultDirectory, verdict),
    },
    onProgress,
    ...(live && {
      sendSeries: (series, { commit }) => live.send(series, { id: workspace.runId, commit }),
    }),
  };
  for (const text of opened.notes) head.note(text);
  // Before the lock and the clean-up, so that a refused command changes nothing.
  if (mode === 'record') requireWritable(baseline);
  const result = await inLockedCheckout(head, stack, () =>
    check(plan, ports, signal).finally(() => live?.close()),
  );
  await writeStoredRuns(workspace.resultDirectory, result.measured.stored ?? []);
  return {
    ...result,
    record: await readRecord(workspace.resultDirectory),
    outputs,
    baselinePlace: baseline.store.place,
    resultDirectory: relative(workingDirectory, workspace.resultDirectory),
  };
}

async function baseStack(stack: ChosenStack, head: StackRequest, git: Git, commit: string) {
  const checkout = await checkoutBase(git, commit, head.workspace.basesDirectory);
  return chooseStack(stack.kind, {
    ...head,
    configDirectory: checkout.directory,
    // The names of containers, volumes and networks derive from the root.
    settings: { ...head.settings, root: checkout.root },
    workspace: baseWorkspace(head.workspace),
  }).create();
}

/**
 * The suite with as many rounds as configured, whatever this check asks for. Only runs that are recorded as rows have more,
 * and of those the first rounds are compared.
 */
export function configuredPlan(
  {
    configPath,
    suite,
    vuFactor,
    overrides,
  }: Pick<CheckRequest, 'configPath' | 'suite' | 'vuFactor' | 'overrides'>,
  config: Config,
): Plan {
  const changed = withOverrides(config, suite, { ...overrides, rounds: undefined });
  return planSuite(changed, suite, configPath, { vuFactor });
}

function measurer(
  { config }: CheckPlan,
  configured: Plan,
  tools: BlockTools,
  { configDirectory }: StackRequest,
  onProgress: ProgressListener,
): CheckPorts['measure'] {
  let loadHash: string | undefined;
  return async (sides, options, signal) => {
    // Of the whole suite and only once: cells that are measured again belong to the same load.
    loadHash ??= await hashLoad(tools.generator, config, configured, configDirectory);
    return measureSides(tools, sides, { ...options, config, configDirectory, loadHash, onProgress }, signal);
  };
}
