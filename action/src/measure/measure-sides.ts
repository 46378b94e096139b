import { resolve } from 'node:path';
import type { Config } from '../model/config.ts';
import { Fault } from '../model/fault.ts';
import { invalidReason } from '../model/invalid-reason.ts';
import { cellName, type InvalidReason, type Run, runSchemaVersion, type WarmUp } from '../model/run.ts';
import { type LoadSeconds, type LoadSeries, seriesSchemaVersion } from '../model/series.ts';
import type { BlockTools } from './block.ts';
import type { MeasureContext, MeasureOptions, ReadySide, Side } from './context.ts';
import {
  type Plan,
  type PlannedCell,
  type ScenarioScript,
  scenariosOf,
  scriptsOf,
  warmUpScenarios,
} from './plan.ts';
import type { BootedService, ScriptUse } from './ports.ts';
import { cellsForProfile, profileSides, whyNotProfiled } from './profile-sides.ts';
import { runRounds } from './run-rounds.ts';
import { warmUp } from './warm-up.ts';
import { watching } from './watch-stacks.ts';

/** A run has no room for more; names of a script's scenarios may be of any length. */
const longestReplaced = 200;

type Phases = Run['phases'];
type InPhase = <T>(phase: string, detail: string, work: () => Promise<T>) => Promise<T>;

/**
 * Measures one side, or two sides interleaved on this machine. The stacks boot and warm up one after the other, their
 * blocks alternate, and the stacks go down whatever happens. Returns one run per side in the given order, or none if a
 * side is not worth its load.
 */
export async function measureSides(
  tools: BlockTools,
  sides: readonly Side[],
  options: MeasureOptions,
  signal: AbortSignal,
): Promise<Run[]> {
  let context: MeasureContext = { tools, options, signal };
  const { onProgress, plan } = options;
  let replaced: readonly string[] = [];
  const startedAt = tools.clock.now().toISOString();
  const phases = new Map<Side, Phases>(sides.map((side) => [side, []]));
  const common = phaseTimer(context, [...phases.values()], '');
  const runSoFar = (one: ReadySide, taken: Run['cells']): Run => ({
    ...runOf(one, options),
    ...(replaced.length > 0 && { replacedOptions: [...replaced] }),
    startedAt,
    finishedAt: tools.clock.now().toISOString(),
    phases: phases.get(one.side) ?? [],
    cells: taken,
  });
  try {
    const checked = await common('scenarios', scriptsOf(plan).join(', '), () => checkedPlan(context));
    replaced = checked.replaced;
    context = { ...context, options: { ...options, plan: checked.plan } };
    const scenarios = scenariosForWarmUp(context);
    const ready: ReadySide[] = [];
    for (const [side, own] of phases) {
      const one = await bringUp(context, side, scenarios, ready, own, sides.length === 1);
      if (one !== undefined) ready.push(one);
      else break;
    }
    const isReady = ready.length === sides.length;
    const isSteady = isReady && ready.every(({ warm }) => warm.steady);
    const cells = isSteady ? await takeBlocks(context, ready, common, runSoFar) : undefined;
    if (cells !== undefined) {
      const runs = ready.map((one) => runSoFar(one, cells.get(one) ?? []));
      await profileWorse(context, ready, runs, common);
    }
    await common('stop', 'service and backing services', () => allDown(sides));
    if (!isReady) return [];
    return ready.map((one) => runSoFar(one, cells?.get(one) ?? []));
  } catch (error) {
    await allDown(sides).catch((later: unknown) =>
      // The first failure is the one to report.
      onProgress({ kind: 'note', text: `the stack could not be stopped: ${String(later)}` }),
    );
    throw error;
  }
}

/** Each side's cells, with the blocks of all rounds; none for a plan without rounds. */
async function takeBlocks(
  context: MeasureContext,
  ready: readonly ReadySide[],
  inPhase: InPhase,
  runSoFar: (one: ReadySide, taken: Run['cells']) => Run,
): Promise<ReadonlyMap<ReadySide, Run['cells']>> {
  const { plan, isEnough } = context.options;
  if (plan.rounds === 0) return new Map();
  const services = ready.map(({ service }) => service);
  return inPhase('load', loadText(plan, ready.length), () =>
    watching(services, context.tools.clock, context.signal, (signal) =>
      runRounds(
        { ...context, signal },
        ready,
        (taken) => isEnough?.(ready.map((one) => runSoFar(one, taken.get(one) ?? []))) ?? false,
      ),
    ),
  );
}

/**
 * Profiles the cells that turned out worse, where all sides can be profiled. The runs are complete by then, so a service
 * that dies under this load does not take them along.
 */
async function profileWorse(
  context: MeasureContext,
  ready: readonly ReadySide[],
  runs: readonly Run[],
  inPhase: InPhase,
): Promise<void> {
  const { plan, toProfile, onProgress } = context.options;
  const note = (text: string) => onProgress({ kind: 'note', text });
  const cells = cellsForProfile(plan, toProfile?.(runs) ?? []);
  if (cells.length === 0) return;
  const reason = whyNotProfiled(ready);
  if (reason !== undefined) return note(`nothing was profiled: ${reason}`);
  const services = ready.map(({ service }) => service);
  const detail = `which code uses more CPU or waits longer in ${cells.map(cellName).join(', ')}`;
  try {
    await inPhase('profile', detail, () =>
      watching(services, context.tools.clock, context.signal, (signal) =>
        profileSides({ ...context, signal }, ready, cells),
      ),
    );
  } catch (error) {
    if (context.signal.aborted || !(error instanceof Fault)) throw error;
    note(`no more is profiled: ${error.details.cause} (${error.details.code})`);
  }
}

/** The plan with what each script says about running it, and the options of the scripts that the plan replaces. */
async function checkedPlan({
  tools,
  options,
}: MeasureContext): Promise<{ readonly plan: Plan; readonly replaced: readonly string[] }> {
  const { plan, configDirectory, onProgress } = options;
  const uses = new Map<string, ScriptUse>();
  for (const { scenario, script, env, exec } of scenariosOf(plan)) {
    uses.set(scenario, await tools.generator.check(resolve(configDirectory, script), env, exec));
  }
  const cells = plan.cells.map((cell): PlannedCell => {
    const { exec, env = {}, abortsEarly } = uses.get(cell.scenario) ?? {};
    return {
      ...cell,
      env: { ...env, ...cell.env },
      ...(exec === undefined ? {} : { exec }),
      ...(abortsEarly && { ignoresThresholds: true }),
    };
  });
  const replaced = [...uses].flatMap(([scenario, use]) => use.replaced.map((what) => `${scenario}: ${what}`));
  for (const what of replaced) {
    onProgress({ kind: 'note', text: `${what} of the script is replaced by the load of gate.yml` });
  }
  const aborting = [...uses].flatMap(([scenario, use]) => (use.abortsEarly ? [scenario] : []));
  for (const scenario of aborting) {
    const text = `${scenario}: thresholds of the script are left out, because abortOnFail would end a block early`;
    onProgress({ kind: 'note', text });
  }
  const leftOut = aborting.map((scenario) => `${scenario}: options.thresholds (abortOnFail)`);
  return {
    plan: { ...plan, cells },
    replaced: [...replaced, ...leftOut].map((what) => what.slice(0, longestReplaced)),
  };
}

function scenariosForWarmUp({ options }: MeasureContext): readonly ScenarioScript[] {
  return warmUpScenarios(options.plan).map((cell) => ({
    ...cell,
    script: resolve(options.configDirectory, cell.script),
  }));
}

/** The parts of a side's run that are known before its load. */
function runOf(
  { side, fingerprint, warm }: ReadySide,
  { plan, config }: MeasureOptions,
): Omit<Run, 'startedAt' | 'finishedAt' | 'phases' | 'cells'> {
  return {
    schema: runSchemaVersion,
    id: side.id,
    suite: plan.suite,
    code: side.code,
    fingerprint,
    warmUp: warm,
    invalid: warm.steady ? [] : [notSettled(warm, config.warmUp)],
  };
}

function loadText({ rounds, cells }: Plan, sides: number): string {
  return `up to ${rounds} rounds of ${cells.length} cells${sides === 1 ? '' : ', sides interleaved'}`;
}

/** Stops every stack, even if one of them fails to stop, and then throws the first failure. */
async function allDown(sides: readonly Side[]): Promise<void> {
  const results = await Promise.allSettled(sides.map(({ stack }) => stack.down()));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/** Reports and times a phase, and notes it for each side that takes part in it. */
function phaseTimer(
  { tools: { clock }, options: { onProgress } }: MeasureContext,
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

/** Builds, boots and warms up a side while the `others` idle. Undefined if the side is not worth its load. */
async function bringUp(
  context: MeasureContext,
  side: Side,
  scenarios: readonly ScenarioScript[],
  others: readonly ReadySide[],
  phases: Phases,
  isAlone: boolean,
): Promise<ReadySide | undefined> {
  const { tools, options, signal } = context;
  const { stack } = side;
  const inPhase = phaseTimer(context, [phases], isAlone ? '' : `${side.name}: `);
  await inPhase('build', 'what changed since the last build', () => stack.prepare(signal));
  const steps = await inPhase('data', 'backing services with restored data', () => stack.up(signal));
  for (const [step, seconds] of Object.entries(steps)) phases.push({ phase: `data: ${step}`, seconds });
  const service = await inPhase('boot', 'service', () => stack.boot(signal));
  const running = [...others.map((one) => one.service), service];
  // Metrics that fail only after the load would cost the whole run.
  const fingerprint = await watching(running, tools.clock, signal, async (guarded) => ({
    ...tools.machine.describe(),
    stack: stack.kind,
    k6: await tools.generator.version(),
    versions: { ...service.versions, ...(await readRuntimeVersion(tools, service, guarded)) },
    dataKey: service.dataKey,
    loadHash: options.loadHash,
  }));
  if ((await options.isWorthLoad?.(fingerprint)) === false) return undefined;
  const unprofiled = options.plan.rounds === 0 ? whyNotProfiled([{ side, service }]) : undefined;
  if (unprofiled !== undefined) {
    options.onProgress({ kind: 'note', text: `nothing was profiled: ${unprofiled}` });
    return undefined;
  }
  const warm = await inPhase('warm-up', 'until latency and compilation settle', () =>
    watching(running, tools.clock, signal, (guarded) =>
      warmUp(
        tools,
        {
          config: options.config.warmUp,
          scenarios,
          service,
          mustAnswer: side.name === 'head',
          onProgress: options.onProgress,
          logTail: (lines) => stack.logTail(lines),
          keepSeconds: (seconds) => side.keepSeries(warmUpSeries(side, seconds)),
          onSeconds: (seconds) => side.sendSeries?.(warmUpSeries(side, seconds)),
        },
        guarded,
      ),
    ),
  );
  return { side, service, fingerprint, warm };
}

function warmUpSeries({ name }: Side, seconds: LoadSeconds): LoadSeries {
  return { schema: seriesSchemaVersion, phase: 'warm-up', side: name, ...seconds };
}

function notSettled(warm: WarmUp, { compileMsPerSecond: limit }: Config['warmUp']): InvalidReason {
  const compileMsPerSecond = warm.windows.at(-1)?.compileMsPerSecond ?? 0;
  const jit = compileMsPerSecond > limit ? { compileMsPerSecond, limit } : undefined;
  return invalidReason('I_WARM_UP', { seconds: warm.seconds, jit });
}

/** A JVM has its version among its metrics. Other runtimes get theirs from the stack, or have none. */
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
