import { dirname, relative, resolve } from 'node:path';
import { loadConfig } from '../adapters/config-file.ts';
import { createFileStore } from '../adapters/file-store.ts';
import { readCode } from '../adapters/git.ts';
import { createK6 } from '../adapters/k6.ts';
import { createLinuxMachine } from '../adapters/linux-machine.ts';
import { createPrometheusReader } from '../adapters/prometheus.ts';
import { writeRunFile, writeVerdictFile } from '../adapters/result-files.ts';
import { hashScripts } from '../adapters/script-files.ts';
import { createSystemClock } from '../adapters/system-clock.ts';
import { judge } from '../judge/judge.ts';
import type { JudgeOptions } from '../judge/options.ts';
import { isTrusted } from '../judge/validity.ts';
import { measureSide } from '../measure/measure-side.ts';
import { type Plan, planSuite, scriptsOf } from '../measure/plan.ts';
import type { BaselineStore, ProgressListener } from '../measure/ports.ts';
import type { Baseline } from '../model/baseline.ts';
import type { Config, StackKind } from '../model/config.ts';
import { Fault } from '../model/fault.ts';
import type { Run } from '../model/run.ts';
import type { Verdict } from '../model/verdict.ts';
import type { Settings } from './settings.ts';
import { chooseStack } from './stack.ts';
import { type SuiteOverrides, withOverrides } from './suite-overrides.ts';
import { lockCheckout, newRunId, openWorkspace, prepareResults } from './workspace.ts';

/** What to do with the stored baseline. */
export type CheckMode =
  /** Compare with it; store this run if there is nothing comparable. */
  | 'check'
  /** Compare with it, and leave it as it is whatever it holds. */
  | 'compare'
  /** Measure only: neither read nor written. */
  | 'measure'
  /** Compare with it and add this run to it. */
  | 'record';

export interface CheckRequest {
  /** Path of gate.yml. */
  readonly configPath: string;
  readonly suite: string;
  readonly mode: CheckMode;
  /** Multiplies the virtual users. */
  readonly vuFactor: number;
  /** How to run the service; by default as the machine and the configuration suggest. */
  readonly stack: StackKind | undefined;
  /** Where the baseline lies; by default in a file of the checkout. */
  readonly store?: BaselineStore;
  /** Settings of the suite that this check has otherwise. */
  readonly overrides?: SuiteOverrides;
}

export interface CheckResult {
  readonly run: Run;
  readonly verdict: Verdict;
  /** True if the run was added to the baseline. */
  readonly stored: boolean;
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
  const clock = createSystemClock();
  const begun = clock.monotonicMs();
  const { config: written, directory } = loadConfig(resolve(settings.workingDirectory, request.configPath));
  const config = withOverrides(written, request.suite, request.overrides ?? {});
  const plan = planSuite(config, request.suite, request.configPath, { vuFactor: request.vuFactor });
  const workspace = openWorkspace(settings.root, newRunId(clock.now()));
  const note = (text: string) => onProgress({ kind: 'note', text });
  const stack = chooseStack(request.stack, {
    config,
    configPath: request.configPath,
    configDirectory: directory,
    settings,
    workspace,
    cacheDirectory: settings.cacheDirectory,
    clock,
    note,
  });
  const release = await lockCheckout(workspace);
  try {
    prepareResults(workspace);
    const store = request.store ?? createFileStore(workspace.baselineDirectory);
    // Read before measuring: an unreadable baseline is better told in a second than after minutes.
    const baseline = request.mode === 'measure' ? null : await readBaseline(store);
    const run = await measureSide(
      {
        generator: createK6({
          binary: settings.k6,
          ...(settings.env.PATH === undefined ? {} : { path: settings.env.PATH }),
          ...(stack.cpuSets === undefined
            ? {}
            : { cpus: { list: stack.cpuSets.generator, count: stack.cpuSets.generatorCpus } }),
        }),
        machine: createLinuxMachine(settings.env),
        metrics: createPrometheusReader(),
        clock,
        stack: stack.create(),
      },
      {
        id: workspace.runId,
        config,
        configDirectory: directory,
        plan,
        code: await readCode(stack.root),
        loadHash: hashLoad(config, plan, directory),
        onProgress,
      },
      signal,
    );
    await writeRunFile(workspace.resultDirectory, run);
    const verdict = judge({
      run,
      base: baseline === null ? { kind: 'none' } : { kind: 'stored', runs: baseline.runs },
      options: judgeOptions(config, plan),
      createdAt: clock.now().toISOString(),
      seconds: (clock.monotonicMs() - begun) / 1000,
    });
    await writeVerdictFile(workspace.resultDirectory, verdict);
    const stored = isTrusted(run) && mayStore(request.mode, verdict);
    if (stored) await store.append(run, config.baseline.keep);
    return {
      run,
      verdict,
      stored,
      baselinePlace: store.place,
      resultDirectory: relative(settings.workingDirectory, workspace.resultDirectory),
    };
  } finally {
    await release();
  }
}

export function judgeOptions(config: Config, plan: Plan): JudgeOptions {
  return {
    tolerances: config.tolerances,
    floors: config.floors,
    signals: config.signals,
    cells: plan.cells.map(({ scenario, load, vus }) => ({
      scenario,
      load,
      vus,
      objectives: config.scenarios[scenario]?.loads[load]?.objectives ?? {},
    })),
  };
}

/** A check stores only where there was nothing to compare with. */
function mayStore(mode: CheckMode, verdict: Verdict): boolean {
  if (mode === 'measure' || mode === 'compare') return false;
  return (
    mode === 'record' || (verdict.comparison.kind === 'none' && verdict.comparison.reason !== 'not-asked')
  );
}

export async function readBaseline(store: BaselineStore): Promise<Baseline> {
  const read = await store.read();
  switch (read.kind) {
    case 'found':
      return read.baseline;
    case 'missing':
      return { schema: 1, runs: [] };
    case 'corrupt':
      throw new Fault({
        code: 'E_BASELINE_CORRUPT',
        kind: 'usage',
        place: read.place,
        cause: `the stored baseline cannot be read: ${read.cause}`,
        nextStep: 'restore the file, or move it away to start a new baseline; it is not written over',
      });
    case 'newer':
      throw new Fault({
        code: 'E_BASELINE_NEWER',
        kind: 'usage',
        place: read.place,
        cause: `the stored baseline has schema ${read.schema}, which is newer than this version of the gate knows`,
        nextStep: 'use the newer version of the gate; the file is not written over',
      });
  }
}

/** What shapes the load: cells, stages, rounds, warm-up, scripts. Tolerances and signals do not. */
function hashLoad(config: Config, plan: Plan, directory: string): string {
  const shape = JSON.stringify({ plan, warmUp: config.warmUp });
  return hashScripts(
    scriptsOf(plan).map((script) => resolve(directory, script)),
    dirname(directory),
    shape,
  );
}
