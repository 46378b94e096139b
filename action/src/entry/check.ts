import { relative, resolve } from 'node:path';
import { loadConfig } from '../adapters/config/index.ts';
import { readCode } from '../adapters/git/index.ts';
import { createSystemClock } from '../adapters/host/index.ts';
import { createK6, hashScripts } from '../adapters/k6/index.ts';
import { createLinuxMachine, createPrometheusReader } from '../adapters/machine/index.ts';
import { writeVerdictFile } from '../adapters/results/index.ts';
import { isTrusted, judgeMeasurements, type Measurements } from '../judge/index.ts';
import {
  mayBecomeBaseline,
  type Plan,
  type ProgressListener,
  planSuite,
  scriptsOf,
} from '../measure/index.ts';
import type { Config, StackKind } from '../model/config.ts';
import { Fault } from '../model/fault.ts';
import type { Interleaved, Run } from '../model/run.ts';
import type { Verdict } from '../model/verdict.ts';
import { type BaselineAccess, chooseStore, requireWritable } from './baseline-store.ts';
import { gitIn } from './checkout-git.ts';
import { endGit, gitRemains } from './git-remains.ts';
import { judgeOptions } from './judge-options.ts';
import { type CheckMode, look } from './look.ts';
import { requireLinux } from './platform.ts';
import type { Settings } from './settings.ts';
import type { Bench } from './sides.ts';
import { chooseStack, type StackRequest } from './stack.ts';
import { baseCheckouts, endProcesses, removeContainers } from './stack-remains.ts';
import { type SuiteOverrides, withOverrides } from './suite-overrides.ts';
import { lockCheckout, newRunId, openWorkspace, prepareResults } from './workspace.ts';

export interface CheckRequest {
  /** Path of gate.yml. */
  readonly configPath: string;
  readonly suite: string;
  readonly mode: CheckMode;
  /** Commit, branch or tag that is measured beside head; by default what the baseline holds, or where the branch began. */
  readonly baseRef?: string;
  /** Multiplies the virtual users. */
  readonly vuFactor: number;
  /** How to run the service; by default as the machine and the configuration suggest. */
  readonly stack: StackKind | undefined;
  readonly baseline: BaselineAccess;
  /** Settings of the suite that this check has otherwise. */
  readonly overrides?: SuiteOverrides;
}

export interface CheckResult {
  readonly run: Run;
  /** What was measured beside head; absent if nothing was. */
  readonly interleaved?: Interleaved;
  readonly verdict: Verdict;
  /** True if the run was added to the baseline. */
  readonly stored: boolean;
  /** Why it was not, though it was to be: what was measured holds all the same, and the command fails in the end. */
  readonly notStored?: Fault;
  /** Where the baseline lies. */
  readonly baselinePlace: string;
  /** Folder of run.json, verdict.json and the logs, relative to the working directory where it lies below. */
  readonly resultDirectory: string;
}

/** Measures the code of this checkout and judges it against the stored baseline. */
export async function check(
  request: CheckRequest,
  settings: Settings,
  onProgress: ProgressListener,
  signal: AbortSignal,
): Promise<CheckResult> {
  requireLinux(settings.platform);
  const clock = createSystemClock();
  const begun = clock.monotonicMs();
  const { config: written, directory } = loadConfig(resolve(settings.workingDirectory, request.configPath));
  const config = withOverrides(written, request.suite, request.overrides ?? {});
  const plan = planSuite(config, request.suite, request.configPath, { vuFactor: request.vuFactor });
  const workspace = openWorkspace(settings.root, newRunId(clock.now()));
  const note = (text: string) => onProgress({ kind: 'note', text });
  const head: StackRequest = {
    config,
    configPath: request.configPath,
    configDirectory: directory,
    settings,
    workspace,
    cacheDirectory: settings.cacheDirectory,
    clock,
    note,
  };
  const stack = chooseStack(request.stack, head);
  const { root, env } = settings;
  const remains = gitRemains(workspace);
  const gitAt = (folder: string) => gitIn(folder, env, signal, remains.commands);
  const chosen = chooseStore(request.baseline, config.baseline, { root, env, clock, signal, remains });
  const { store } = chosen;
  if (request.mode === 'record') requireWritable(chosen);
  const release = await lockCheckout(workspace);
  try {
    prepareResults(workspace);
    const ended = [
      ...endProcesses(workspace),
      ...(stack.kind === 'compose'
        ? // Those of head are removed where its stack is prepared.
          await removeContainers(workspace, baseCheckouts(workspace), env)
        : []),
      ...endGit(remains),
    ];
    for (const left of ended) note(`ended what an earlier check left running: ${left}`);
    const bench: Bench = {
      tools: {
        generator: createK6({
          binary: settings.k6,
          ...(settings.env.PATH === undefined ? {} : { path: settings.env.PATH }),
          ...(stack.cpuSets === undefined
            ? {}
            : { cpus: { list: stack.cpuSets.generator, count: stack.cpuSets.generatorCpus } }),
        }),
        machine: createLinuxMachine(settings),
        metrics: createPrometheusReader(),
        clock,
      },
      options: {
        config,
        configDirectory: directory,
        plan,
        loadHash: hashLoad(config, plan, directory),
        onProgress,
      },
      head,
      stack,
      git: gitAt(directory),
      code: await readCode(gitAt(stack.root)),
    };
    const verdictOn = (looks: Measurements) =>
      judgeMeasurements(looks, {
        options: judgeOptions(config, plan),
        createdAt: clock.now().toISOString(),
        seconds: (clock.monotonicMs() - begun) / 1000,
      });
    const looks = await look(bench, { ...request, token: request.baseline.token }, chosen, verdictOn, signal);
    const { run } = looks;
    const verdict = verdictOn(looks);
    await writeVerdictFile(workspace.resultDirectory, verdict);
    const wanted =
      chosen.mayWrite &&
      isTrusted(run) &&
      (request.mode === 'record' || mayStore(request.mode, isFirstOfItsKind(looks, verdict)));
    const notStored = wanted ? await faultOf(() => store.append(run, config.baseline.keep)) : undefined;
    return {
      run,
      ...(looks.interleaved === undefined ? {} : { interleaved: looks.interleaved }),
      verdict,
      stored: wanted && notStored === undefined,
      ...(notStored === undefined ? {} : { notStored }),
      baselinePlace: store.place,
      resultDirectory: relative(settings.workingDirectory, workspace.resultDirectory),
    };
  } finally {
    await release();
  }
}

async function faultOf(work: () => Promise<unknown>): Promise<Fault | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

/** True if no stored run was comparable, and this one may become a baseline without being asked to. */
function isFirstOfItsKind({ run, stored }: Measurements, { comparison, outcome }: Verdict): boolean {
  const nothingComparable =
    comparison.kind === 'none' || (comparison.kind === 'side-by-side' && comparison.mismatches !== undefined);
  return (
    stored !== undefined &&
    nothingComparable &&
    outcome !== 'regression' &&
    outcome !== 'invalid' &&
    mayBecomeBaseline(run.code, stored)
  );
}

/** A check that was not asked to record stores only where there was nothing to compare with. */
function mayStore(mode: CheckMode, firstOfItsKind: boolean): boolean {
  return (mode === 'auto' || mode === 'stored') && firstOfItsKind;
}

/** What shapes the load: cells, stages, rounds, warm-up, scripts. Tolerances and signals do not. */
function hashLoad(config: Config, plan: Plan, directory: string): string {
  const shape = JSON.stringify({ plan, warmUp: config.warmUp });
  return hashScripts(
    scriptsOf(plan).map((script) => resolve(directory, script)),
    directory,
    shape,
  );
}
