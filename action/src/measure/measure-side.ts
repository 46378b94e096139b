import { resolve } from 'node:path';
import type { Config } from '../model/config.ts';
import {
  type Block,
  type Cell,
  cellName,
  type InvalidReason,
  type Run,
  runSchemaVersion,
} from '../model/run.ts';
import { type BlockTools, runBlock } from './block.ts';
import { mayPass } from './block-validity.ts';
import { waitUntilIdle } from './idle.ts';
import { type Plan, type PlannedCell, roundOrder, scriptsOf } from './plan.ts';
import type { BootedService, Clock, ProgressListener, Stack } from './ports.ts';
import { warmUp } from './warm-up.ts';

export interface MeasureTools extends BlockTools {
  readonly stack: Stack;
}

export interface MeasureOptions {
  readonly id: string;
  readonly config: Config;
  /** Folder that scripts are relative to. */
  readonly configDirectory: string;
  readonly plan: Plan;
  readonly code: Run['code'];
  /** SHA-256 of what shapes the load. */
  readonly loadHash: string;
  readonly onProgress: ProgressListener;
}

/** Blocks that a disturbed machine may cost before the run is given up. */
const retakesAllowed = 4;

/** Measures one side: stack up, ready, warm-up, rounds of blocks, stack down whatever happens. */
export async function measureSide(
  tools: MeasureTools,
  options: MeasureOptions,
  signal: AbortSignal,
): Promise<Run> {
  const { stack, clock, generator } = tools;
  const { plan, config, onProgress } = options;
  const startedAt = clock.now();
  const phases: { phase: string; seconds: number }[] = [];
  const inPhase = async <T>(phase: string, detail: string, work: () => Promise<T>): Promise<T> => {
    onProgress({ kind: 'phase', phase, detail });
    const from = clock.monotonicMs();
    const result = await work();
    const seconds = (clock.monotonicMs() - from) / 1000;
    phases.push({ phase, seconds });
    onProgress({ kind: 'phase-done', phase, seconds });
    return result;
  };
  const resolveScript = (script: string) => resolve(options.configDirectory, script);
  const scripts = scriptsOf(plan).map(resolveScript);
  try {
    await inPhase('scenarios', scriptsOf(plan).join(', '), () => checkScripts(tools, scripts));
    await inPhase('build', 'what changed since the last build', () => stack.prepare(signal));
    const steps = await inPhase('data', 'backing services with restored data', () => stack.up(signal));
    for (const [step, seconds] of Object.entries(steps)) phases.push({ phase: `data: ${step}`, seconds });
    const service = await inPhase('boot', 'service', () => stack.boot(signal));
    const guarded = withFailure(signal, service);
    const watched = <T>(work: () => Promise<T>) => blamingTheStack(service, clock, signal, work);
    const warm = await inPhase('warm-up', 'until latency and compilation settle', () =>
      watched(() =>
        warmUp(
          tools,
          { config: config.warmUp, scripts, service, onProgress, logTail: (lines) => stack.logTail(lines) },
          guarded,
        ),
      ),
    );
    const invalid: InvalidReason[] = [];
    let cells: Cell[] = [];
    if (warm.steady) {
      cells = await inPhase('load', `${plan.rounds} rounds of ${plan.cells.length} cells`, () =>
        watched(() => runRounds(tools, options, service, resolveScript, guarded)),
      );
    } else {
      invalid.push({
        code: 'I_WARM_UP',
        cause: `the service had not settled after ${Math.round(warm.seconds)} s of warm-up`,
        nextStep: 'raise `warmUp.cap`, or look in run.json at what its windows still changed',
      });
    }
    const versions = { ...service.versions, ...(await readRuntimeVersion(tools, service, guarded)) };
    const version = await generator.version();
    await inPhase('stop', 'service and backing services', () => stack.down());
    return {
      schema: runSchemaVersion,
      id: options.id,
      startedAt: startedAt.toISOString(),
      finishedAt: clock.now().toISOString(),
      suite: plan.suite,
      code: options.code,
      fingerprint: {
        ...tools.machine.describe(),
        stack: stack.kind,
        k6: version,
        versions,
        dataKey: service.dataKey,
        loadHash: options.loadHash,
      },
      warmUp: warm,
      phases,
      cells,
      invalid,
    };
  } finally {
    await stack.down();
  }
}

async function checkScripts(tools: MeasureTools, scripts: readonly string[]): Promise<void> {
  for (const script of scripts) await tools.generator.check(script);
}

/** Aborts what runs as soon as the stack fails: the failure, not its consequences, is then what is reported. */
function withFailure(signal: AbortSignal, service: BootedService): AbortSignal {
  const failed = new AbortController();
  service.failure.catch((fault: unknown) => failed.abort(fault));
  return AbortSignal.any([signal, failed.signal]);
}

/** Time for a stack to tell what the service's own silence told first. */
const failureGraceMs = 500;

/**
 * Work on a booted service. If a stack tells failures late, an unanswered request may be noticed before them: what
 * befell the stack is then what is reported, and not what followed from it.
 */
async function blamingTheStack<T>(
  service: BootedService,
  clock: Clock,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  try {
    const result = await work();
    await service.verify?.();
    return result;
  } catch (error) {
    if (signal.aborted || service.verify === undefined) throw error;
    await Promise.race([service.failure, clock.wait(failureGraceMs, signal)]);
    await service.verify();
    throw error;
  }
}

/** The JVM tells its version among its metrics; other runtimes are named by the stack, or not at all. */
async function readRuntimeVersion(
  tools: MeasureTools,
  service: BootedService,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  if (service.metricsUrl === undefined) return {};
  const series = await tools.metrics.scrape(service.metricsUrl, signal);
  const version = series.find(({ name }) => name === 'jvm_info')?.labels.version;
  return version === undefined ? {} : { jdk: version };
}

async function runRounds(
  tools: MeasureTools,
  options: MeasureOptions,
  service: BootedService,
  resolveScript: (script: string) => string,
  signal: AbortSignal,
): Promise<Cell[]> {
  const { plan, config, onProgress } = options;
  const blocks = new Map<PlannedCell, Block[]>(plan.cells.map((cell) => [cell, []]));
  const begun = tools.clock.monotonicMs();
  let loadDone = 0;
  let retakes = 0;
  const report = (cell: PlannedCell, figures: { tps: number; p95Ms: number; errors: number }) => {
    const elapsed = (tools.clock.monotonicMs() - begun) / 1000;
    const done = Math.min(1, loadDone / plan.loadSeconds);
    // What a block costs beyond its load (start, drain) is only known from the blocks so far.
    const secondsLeft =
      loadDone === 0
        ? plan.loadSeconds * 1.3 - elapsed
        : (elapsed / loadDone) * (plan.loadSeconds - loadDone);
    onProgress({
      kind: 'live',
      cell: cellName(cell),
      ...figures,
      done,
      secondsLeft: Math.max(0, secondsLeft),
    });
  };
  let former: Block | undefined;
  const take = async (cell: PlannedCell, round: number): Promise<Block> => {
    if (former !== undefined) await workOff(tools, service, former, cell, onProgress, signal);
    former = await runBlock(
      tools,
      { config, cell, round, service, resolveScript, onLive: (figures) => report(cell, figures) },
      signal,
    );
    return former;
  };
  for (let round = 0; round < plan.rounds; round += 1) {
    for (const cell of roundOrder(plan, round)) {
      let block = await take(cell, round);
      if (mayPass(block.invalid) && retakes < retakesAllowed) {
        retakes += 1;
        onProgress({ kind: 'note', text: `${cellName(cell)} is taken again: ${block.invalid[0]?.cause}` });
        block = await take(cell, round);
      }
      blocks.get(cell)?.push(block);
      loadDone += cell.guardSeconds + cell.countedSeconds;
      report(cell, { tps: block.tps, p95Ms: block.latency.p95Ms, errors: block.errors });
      // The verdict can only be "invalid" now; more load would only take time.
      if (block.invalid.length > 0) return toCells(plan, blocks);
    }
  }
  return toCells(plan, blocks);
}

/** Waits of less than this are part of every block. */
const tellFromSeconds = 2;

async function workOff(
  { clock, machine }: MeasureTools,
  service: BootedService,
  former: Block,
  next: PlannedCell,
  onProgress: ProgressListener,
  signal: AbortSignal,
): Promise<void> {
  const { idle, seconds } = await waitUntilIdle(clock, service, former, machine.describe().cpuCount, signal);
  if (seconds < tellFromSeconds) return;
  const waited = `${seconds.toFixed(0)} s before ${cellName(next)}`;
  onProgress({
    kind: 'note',
    text: idle
      ? `the service worked off the load of the cell before for ${waited}`
      : `the service was still busy ${waited}, although nobody asks it anything; measured all the same`,
  });
}

function toCells(plan: Plan, blocks: ReadonlyMap<PlannedCell, readonly Block[]>): Cell[] {
  return plan.cells.map((cell) => ({
    scenario: cell.scenario,
    load: cell.load,
    vus: cell.vus,
    blocks: [...(blocks.get(cell) ?? [])],
  }));
}
