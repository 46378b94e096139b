import { dirname, join, relative, resolve } from 'node:path';
import { baselineRefusal } from '../adapters/baseline-refusal.ts';
import { loadConfig } from '../adapters/config-file.ts';
import { readCode } from '../adapters/git.ts';
import { createK6 } from '../adapters/k6.ts';
import { createLinuxMachine } from '../adapters/linux-machine.ts';
import { createPrometheusReader } from '../adapters/prometheus.ts';
import { writeRunFile, writeVerdictFile } from '../adapters/result-files.ts';
import { hashScripts } from '../adapters/script-files.ts';
import { createSystemClock } from '../adapters/system-clock.ts';
import type { Base } from '../judge/base.ts';
import { confirm, standIn, suspectCells } from '../judge/confirm.ts';
import { judge } from '../judge/judge.ts';
import type { JudgeOptions } from '../judge/options.ts';
import { isBeyondComparison } from '../judge/outcome.ts';
import { isTrusted } from '../judge/validity.ts';
import { mayBecomeBaseline } from '../measure/may-become-baseline.ts';
import { onlyCells, type Plan, planSuite, scriptsOf } from '../measure/plan.ts';
import type { BaselineStore, ProgressListener } from '../measure/ports.ts';
import type { Baseline } from '../model/baseline.ts';
import type { Config, StackKind } from '../model/config.ts';
import type { Run } from '../model/run.ts';
import type { Verdict } from '../model/verdict.ts';
import { type BaselineAccess, chooseStore, requireWritable } from './baseline-store.ts';
import { gitIn } from './checkout-git.ts';
import type { Settings } from './settings.ts';
import { type Bench, chosenBase, measureBeside, measureHead, storedBase } from './sides.ts';
import { chooseStack, type StackRequest } from './stack.ts';
import { type SuiteOverrides, withOverrides } from './suite-overrides.ts';
import { lockCheckout, newRunId, openWorkspace, prepareResults } from './workspace.ts';

/** What head is compared with, and what is stored. */
export type CheckMode =
  /**
   * The stored baseline; cells that look worse are then measured beside the base commit, and all of them if this
   * checkout itself made the stored runs incomparable. Stored if nothing was comparable and it may become a baseline.
   */
  | 'auto'
  /** The stored baseline alone; stored likewise. */
  | 'stored'
  /** The base commit, measured by turns with head. The stored baseline is neither read nor written. */
  | 'side-by-side'
  /** The stored baseline, which is left as it is whatever it holds. */
  | 'compare'
  /** Nothing: the stored baseline is neither read nor written. */
  | 'measure'
  /** The stored baseline, to which this run is added. */
  | 'record';

export interface CheckRequest {
  /** Path of gate.yml. */
  readonly configPath: string;
  readonly suite: string;
  readonly mode: CheckMode;
  /** Commit, branch or tag that side by side measures; by default what the baseline holds, or where the branch began. */
  readonly baseRef?: string;
  /** Multiplies the virtual users. */
  readonly vuFactor: number;
  /** How to run the service; by default as the machine and the configuration suggest. */
  readonly stack: StackKind | undefined;
  /** Where the baseline lies; by default as the configuration says. */
  readonly baseline?: BaselineAccess;
  /** A store that is open already, instead of `baseline`. */
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
  const chosen =
    request.store === undefined
      ? chooseStore(request.baseline ?? { mayWriteBranch: false }, config.baseline, {
          settings,
          workspace,
          clock,
          signal,
        })
      : { store: request.store, mayWrite: true };
  const { store } = chosen;
  if (request.mode === 'record') requireWritable(chosen);
  const release = await lockCheckout(workspace);
  try {
    prepareResults(workspace);
    const bench: Bench = {
      tools: {
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
      git: gitIn(directory, settings.env, signal),
      code: await readCode(gitIn(stack.root, settings.env, signal)),
    };
    const sentence: Sentence = (run, base, part = plan) =>
      judge({
        run,
        base,
        options: judgeOptions(config, part),
        createdAt: clock.now().toISOString(),
        seconds: (clock.monotonicMs() - begun) / 1000,
      });
    const { run, verdict, firstOfItsKind } =
      request.mode === 'side-by-side'
        ? await besideBase(bench, await chosenBase(bench, request.baseRef), sentence, signal)
        : await againstStore(bench, request, store, sentence, signal);
    await writeVerdictFile(workspace.resultDirectory, verdict);
    const stored =
      chosen.mayWrite &&
      isTrusted(run) &&
      (request.mode === 'record' || mayStore(request.mode, firstOfItsKind));
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

/** Judges a run of the suite, or of a part of it. */
type Sentence = (run: Run, base: Base, part?: Plan) => Verdict;

interface Judged {
  readonly run: Run;
  readonly verdict: Verdict;
  /** True if no stored run was comparable and this one may become a baseline without being asked to. */
  readonly firstOfItsKind: boolean;
}

async function besideBase(
  bench: Bench,
  commit: string,
  sentence: Sentence,
  signal: AbortSignal,
): Promise<Judged> {
  const { head, base } = await measureBeside(bench, commit, bench.options.plan, signal);
  const { resultDirectory } = bench.head.workspace;
  await writeRunFile(resultDirectory, head);
  await writeRunFile(join(resultDirectory, 'base'), base);
  const verdict = sentence(head, { kind: 'side-by-side', run: base, commit });
  return { run: head, verdict, firstOfItsKind: false };
}

async function againstStore(
  bench: Bench,
  request: CheckRequest,
  store: BaselineStore,
  sentence: Sentence,
  signal: AbortSignal,
): Promise<Judged> {
  // Read before measuring: an unreadable baseline is better told in a second than after minutes.
  const baseline = request.mode === 'measure' ? null : await readBaseline(store);
  const run = await measureHead(bench, signal);
  await writeRunFile(bench.head.workspace.resultDirectory, run);
  const screened = sentence(
    run,
    baseline === null ? { kind: 'none' } : { kind: 'stored', runs: baseline.runs },
  );
  const firstOfItsKind =
    baseline !== null && screened.comparison.kind === 'none' && mayBecomeBaseline(run.code, baseline.runs);
  const look = request.mode === 'auto' ? secondLook(bench.options.plan, screened) : undefined;
  if (look === undefined) return { run, verdict: screened, firstOfItsKind };
  const { comparison } = screened;
  const newest =
    comparison.kind === 'stored' ? comparison.base.at(-1)?.commit : baseline?.runs.at(-1)?.code.commit;
  const commit = await storedBase(bench, newest, request.baseRef);
  if (commit === undefined) return { run, verdict: screened, firstOfItsKind };
  bench.head.note(`${look.why}, so measured beside ${commit.slice(0, 8)}`);
  const beside = await measureBeside(bench, commit, look.part, signal);
  const { resultDirectory } = bench.head.workspace;
  await writeRunFile(join(resultDirectory, 'beside'), beside.head);
  await writeRunFile(join(resultDirectory, 'base'), beside.base);
  const second = sentence(beside.head, { kind: 'side-by-side', run: beside.base, commit }, look.part);
  if (comparison.kind === 'stored') return { run, verdict: confirm(screened, second), firstOfItsKind };
  const verdict = standIn(screened, second);
  return { run, verdict, firstOfItsKind: firstOfItsKind && verdict.outcome !== 'regression' };
}

interface SecondLook {
  readonly part: Plan;
  readonly why: string;
}

/** What is to be measured beside the base commit after the first look, if anything. */
function secondLook(plan: Plan, screened: Verdict): SecondLook | undefined {
  if (screened.outcome !== 'invalid' && isBeyondComparison(screened.comparison)) {
    return { part: plan, why: 'no stored run was made with the data, load and versions of this checkout' };
  }
  const suspects = suspectCells(screened);
  return suspects.length === 0
    ? undefined
    : { part: onlyCells(plan, suspects), why: `${suspects.join(', ')}: worse than the stored baseline` };
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

/** A check that was not asked to record stores only where there was nothing to compare with. */
function mayStore(mode: CheckMode, firstOfItsKind: boolean): boolean {
  return (mode === 'auto' || mode === 'stored') && firstOfItsKind;
}

export async function readBaseline(store: BaselineStore): Promise<Baseline> {
  const read = await store.read();
  switch (read.kind) {
    case 'found':
      return read.baseline;
    case 'missing':
      return { schema: 1, runs: [] };
    default:
      throw baselineRefusal(read, 'usage');
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
