import { resolve } from 'node:path';
import type { Config } from '../model/config.ts';
import { invalidReason } from '../model/invalid-reason.ts';
import {
  type Block,
  type Cell,
  cellName,
  type Fingerprint,
  type InvalidReason,
  type Run,
  runSchemaVersion,
  type WarmUp,
} from '../model/run.ts';
import { type BlockTools, runBlock } from './block.ts';
import { waitUntilIdle, waitUntilQuiet } from './idle.ts';
import { type Plan, type PlannedCell, type ScenarioScript, scenariosOf, scriptsOf } from './plan.ts';
import type { BootedService, CellFigures, Clock, ProgressListener, Stack } from './ports.ts';
import type { LiveFigures } from './recorder.ts';
import { type Turn, takeRounds } from './rounds.ts';
import { timeLeft } from './time-left.ts';
import { warmUp } from './warm-up.ts';

/** One version of the service on its way to a run. */
export interface Side {
  readonly name: 'base' | 'head';
  /** The run's id. */
  readonly id: string;
  readonly stack: Stack;
  readonly code: Run['code'];
}

export interface MeasureOptions {
  readonly config: Config;
  /** Folder that scripts are relative to. */
  readonly configDirectory: string;
  readonly plan: Plan;
  /** SHA-256 of what shapes the load. */
  readonly loadHash: string;
  readonly onProgress: ProgressListener;
  /** Asked of a booted side before it takes load; if not, nothing is measured. By default every side is worth it. */
  readonly isWorthLoad?: (fingerprint: Fingerprint) => Promise<boolean>;
}

/** A side that takes load. */
interface ReadySide {
  readonly side: Side;
  readonly service: BootedService;
  readonly fingerprint: Fingerprint;
  readonly warm: WarmUp;
}

type Phases = Run['phases'];
type InPhase = <T>(phase: string, detail: string, work: () => Promise<T>) => Promise<T>;

/**
 * Measures sides in turn on this machine: stacks up, ready, warm-up one after the other, rounds of blocks by turns,
 * stacks down whatever happens. One side alone is measured the same way. Answers with a run for each side, in order;
 * with none if a side is not worth its load.
 */
export async function measureSides(
  tools: BlockTools,
  sides: readonly Side[],
  options: MeasureOptions,
  signal: AbortSignal,
): Promise<Run[]> {
  const { clock } = tools;
  const { plan } = options;
  const startedAt = clock.now();
  const scenarios = scenariosOf(plan).map(({ script, env }) => ({
    script: resolve(options.configDirectory, script),
    env,
  }));
  const phases = new Map<Side, Phases>(sides.map((side) => [side, []]));
  const common = phaseTimer(clock, options.onProgress, [...phases.values()], '');
  const stop = () => common('stop', 'service and backing services', () => allDown(sides));
  try {
    await common('scenarios', scriptsOf(plan).join(', '), () => checkScripts(tools, scenarios));
    const ready: ReadySide[] = [];
    for (const side of sides) {
      const label = sides.length === 1 ? '' : `${side.name}: `;
      const inPhase = phaseTimer(clock, options.onProgress, [phases.get(side) ?? []], label);
      const booted = ready.map(({ service }) => service);
      const one = await bringUp(
        tools,
        side,
        options,
        scenarios,
        { inPhase, booted, phases: phases.get(side) ?? [] },
        signal,
      );
      if (one === undefined) {
        await stop();
        return [];
      }
      ready.push(one);
    }
    const cells = new Map<Side, Cell[]>();
    if (ready.every(({ warm }) => warm.steady)) {
      const services = ready.map(({ service }) => service);
      const detail = `${plan.rounds} rounds of ${plan.cells.length} cells${sides.length === 1 ? '' : ', sides by turns'}`;
      const measured = await common('load', detail, () =>
        watching(services, clock, signal, (guarded) => runRounds(tools, options, ready, guarded)),
      );
      for (const [side, blocks] of measured) cells.set(side, blocks);
    }
    await stop();
    const finishedAt = clock.now().toISOString();
    return ready.map(({ side, warm, fingerprint }) => ({
      schema: runSchemaVersion,
      id: side.id,
      startedAt: startedAt.toISOString(),
      finishedAt,
      suite: plan.suite,
      code: side.code,
      fingerprint,
      warmUp: warm,
      phases: phases.get(side) ?? [],
      cells: cells.get(side) ?? [],
      invalid: warm.steady ? [] : [notSettled(warm, options.config.warmUp)],
    }));
  } catch (error) {
    await allDown(sides).catch((later: unknown) =>
      // What went wrong first is what is told.
      options.onProgress({ kind: 'note', text: `the stack could not be taken down: ${String(later)}` }),
    );
    throw error;
  }
}

/** Every stack goes down, also when one of them cannot; the first that could not is then what is told. */
async function allDown(sides: readonly Side[]): Promise<void> {
  const results = await Promise.allSettled(sides.map(({ stack }) => stack.down()));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/** Tells and times a phase, and notes it with the sides that it is part of. */
function phaseTimer(
  clock: Clock,
  onProgress: ProgressListener,
  lists: readonly Phases[],
  label: string,
): InPhase {
  return async (name, detail, work) => {
    const phase = `${label}${name}`;
    onProgress({ kind: 'phase', phase, detail });
    const from = clock.monotonicMs();
    const result = await work();
    const seconds = (clock.monotonicMs() - from) / 1000;
    for (const list of lists) list.push({ phase: name, seconds });
    onProgress({ kind: 'phase-done', phase, seconds });
    return result;
  };
}

/**
 * From nothing to a service that takes load, on a machine on which the services of `booted` idle. Undefined if it is
 * not worth its load.
 */
async function bringUp(
  tools: BlockTools,
  side: Side,
  options: MeasureOptions,
  scenarios: readonly ScenarioScript[],
  { inPhase, booted, phases }: { inPhase: InPhase; booted: readonly BootedService[]; phases: Phases },
  signal: AbortSignal,
): Promise<ReadySide | undefined> {
  const { stack } = side;
  await inPhase('build', 'what changed since the last build', () => stack.prepare(signal));
  const steps = await inPhase('data', 'backing services with restored data', () => stack.up(signal));
  for (const [step, seconds] of Object.entries(steps)) phases.push({ phase: `data: ${step}`, seconds });
  const service = await inPhase('boot', 'service', () => stack.boot(signal));
  const running = [...booted, service];
  // Before the load: metrics that fail after it would cost the whole run.
  const fingerprint = await watching(running, tools.clock, signal, async (guarded) => ({
    ...tools.machine.describe(),
    stack: stack.kind,
    k6: await tools.generator.version(),
    versions: { ...service.versions, ...(await readRuntimeVersion(tools, service, guarded)) },
    dataKey: service.dataKey,
    loadHash: options.loadHash,
  }));
  if ((await options.isWorthLoad?.(fingerprint)) === false) return undefined;
  const warm = await inPhase('warm-up', 'until latency and compilation settle', () =>
    watching(running, tools.clock, signal, (guarded) =>
      warmUp(
        tools,
        {
          config: options.config.warmUp,
          scenarios,
          service,
          hasToAnswer: side.name === 'head',
          onProgress: options.onProgress,
          logTail: (lines) => stack.logTail(lines),
        },
        guarded,
      ),
    ),
  );
  return { side, service, fingerprint, warm };
}

function notSettled(warm: WarmUp, { compileMsPerSecond: limit }: Config['warmUp']): InvalidReason {
  const compileMsPerSecond = warm.windows.at(-1)?.compileMsPerSecond ?? 0;
  const jit = compileMsPerSecond > limit ? { compileMsPerSecond, limit } : undefined;
  return invalidReason('I_WARM_UP', { seconds: warm.seconds, jit });
}

async function checkScripts(tools: BlockTools, scenarios: readonly ScenarioScript[]): Promise<void> {
  for (const { script, env } of scenarios) await tools.generator.check(script, env);
}

/** Time for a stack to tell what the service's own silence told first: an engine on a busy machine takes seconds over it. */
const failureGraceMs = 5_000;

/**
 * Work on booted services, aborted as soon as one of their stacks fails: the failure, not its consequences, is then
 * what is reported. If a stack tells failures late, an unanswered request may be noticed before them.
 */
async function watching<T>(
  services: readonly BootedService[],
  clock: Clock,
  signal: AbortSignal,
  work: (guarded: AbortSignal) => Promise<T>,
): Promise<T> {
  const failed = new AbortController();
  for (const { failure } of services) failure.catch((fault: unknown) => failed.abort(fault));
  const late = services.filter(({ verify }) => verify !== undefined);
  const verifyAll = async () => {
    for (const service of late) await service.verify?.();
  };
  try {
    const result = await work(AbortSignal.any([signal, failed.signal]));
    await verifyAll();
    return result;
  } catch (error) {
    if (signal.aborted || late.length === 0) throw error;
    await Promise.race([...late.map(({ failure }) => failure), clock.wait(failureGraceMs, signal)]);
    await verifyAll();
    throw error;
  }
}

/** The JVM tells its version among its metrics; other runtimes are named by the stack, or not at all. */
async function readRuntimeVersion(
  tools: BlockTools,
  service: BootedService,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  if (service.metricsUrl === undefined) return {};
  const series = await tools.metrics.scrape(service.metricsUrl, signal);
  const version = series.find(({ name }) => name === 'jvm_info')?.labels.version;
  return version === undefined ? {} : { jdk: version };
}

/** Takes every block of the plan and tells how far it is; a side's cells in the plan's order. */
async function runRounds(
  tools: BlockTools,
  options: MeasureOptions,
  ready: readonly ReadySide[],
  signal: AbortSignal,
): Promise<Map<Side, Cell[]>> {
  const { plan, config, onProgress } = options;
  const begun = tools.clock.monotonicMs();
  const secondsSince = (from: number) => (tools.clock.monotonicMs() - from) / 1000;
  let loadSeconds = plan.loadSeconds * ready.length;
  const resolveScript = (script: string) => resolve(options.configDirectory, script);
  let finished = { loadSeconds: 0, wallSeconds: 0 };
  const report = (
    cell: string,
    figures: CellFigures | undefined,
    block = { loadSeconds: 0, wallSeconds: 0 },
  ) => onProgress({ kind: 'live', cell, figures, ...timeLeft({ loadSeconds, finished, block }) });
  const nameOf = ({ side, cell }: Turn<ReadySide>) =>
    ready.length === 1 ? cellName(cell) : `${side.side.name} ${cellName(cell)}`;
  let former: FormerBlock | undefined;
  const blocks = await takeRounds(plan, ready, {
    take: async (turn) => {
      const { cell, round, side } = turn;
      const name = nameOf(turn);
      if (former !== undefined) await workOff(tools, former, name, onProgress, signal);
      const blockBegun = tools.clock.monotonicMs();
      const onLive = (figures: LiveFigures | undefined) =>
        report(name, figures, { loadSeconds: blockSeconds(cell), wallSeconds: secondsSince(blockBegun) });
      const block = await runBlock(
        tools,
        { config, cell, round, service: side.service, resolveScript, onLive },
        signal,
      );
      former = { service: side.service, block };
      finished = {
        loadSeconds: finished.loadSeconds + blockSeconds(cell),
        wallSeconds: secondsSince(begun),
      };
      report(name, { tps: block.tps, p95Ms: block.latency.p95Ms, errors: block.errors });
      return block;
    },
    postponed: (turn, block) => {
      loadSeconds += blockSeconds(turn.cell);
      const cause = block.invalid[0]?.cause;
      onProgress({ kind: 'note', text: `${nameOf(turn)} is taken again after this round: ${cause}` });
    },
    untilQuiet: async (turn) => {
      const { idle, seconds } = await waitUntilQuiet(tools.clock, tools.machine, config.limits, signal);
      if (seconds < tellFromSeconds) return;
      const outcome = idle ? 'was left alone' : 'was still busy; measured all the same';
      onProgress({
        kind: 'note',
        text: `${seconds.toFixed(0)} s before ${nameOf(turn)} was taken again the machine ${outcome}`,
      });
    },
  });
  return new Map(ready.map((one) => [one.side, toCells(plan, blocks.get(one))]));
}

function blockSeconds({ guardSeconds, countedSeconds }: PlannedCell): number {
  return guardSeconds + countedSeconds;
}

/** Waits of less than this are part of every block. */
const tellFromSeconds = 2;

/** The block that was taken last, and on what. */
interface FormerBlock {
  readonly service: BootedService;
  readonly block: Block;
}

async function workOff(
  { clock, machine }: BlockTools,
  { service, block }: FormerBlock,
  next: string,
  onProgress: ProgressListener,
  signal: AbortSignal,
): Promise<void> {
  const { idle, seconds } = await waitUntilIdle(clock, service, block, machine.describe().cpuCount, signal);
  if (seconds < tellFromSeconds) return;
  const waited = `${seconds.toFixed(0)} s before ${next}`;
  onProgress({
    kind: 'note',
    text: idle
      ? `the service worked off the load of the cell before for ${waited}`
      : `the service was still busy ${waited}, although nobody asks it anything; measured all the same`,
  });
}

function toCells(plan: Plan, blocks: ReadonlyMap<PlannedCell, readonly Block[]> | undefined): Cell[] {
  return plan.cells.map((cell) => ({
    scenario: cell.scenario,
    load: cell.load,
    vus: cell.vus,
    blocks: [...(blocks?.get(cell) ?? [])],
  }));
}
