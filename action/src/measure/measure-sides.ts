import type { Config } from '../model/config.ts';
import { Fault } from '../model/fault.ts';
import { invalidReason } from '../model/invalid-reason.ts';
import { cellName, type InvalidReason, type Run, runSchemaVersion, type WarmUp } from '../model/run.ts';
import type { BlockTools } from './block.ts';
import {
  bringUp,
  checkedPlan,
  type InPhase,
  type Phases,
  phaseTimer,
  scenariosForWarmUp,
} from './bring-up.ts';
import type { MeasureContext, MeasureOptions, ReadySide, Side } from './context.ts';
import { type Plan, type PlannedCell, type ScenarioScript, scriptsOf } from './plan.ts';
import { cellsForProfile, mostScenarios, profileSides, whyNotProfiled } from './profile-sides.ts';
import { runRounds } from './run-rounds.ts';
import { runUnbrokenCells } from './run-unbroken.ts';
import { watching } from './watch-stacks.ts';

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
      await profileWorse(context, ready, options.toProfile?.(runs) ?? [], common);
      await profileNextTo(context, runs, ready, common);
    }
    await common('stop', 'service and backing services', () => allDown(sides));
    if (!isReady) return [];
    return ready.map((one) => runSoFar(one, cells?.get(one) ?? []));
  } catch (error) {
    await downAnyway(sides, onProgress);
    throw error;
  }
}

/** Each side's cells, with the blocks of all rounds. */
async function takeBlocks(
  context: MeasureContext,
  ready: readonly ReadySide[],
  inPhase: InPhase,
  runSoFar: (one: ReadySide, taken: Run['cells']) => Run,
): Promise<ReadonlyMap<ReadySide, Run['cells']>> {
  const { plan, isEnough, sparesOthers, onCutShort } = context.options;
  const services = ready.map(({ service }) => service);
  const [alone] = ready;
  return inPhase('load', loadText(plan, ready.length), () =>
    watching(services, context.tools.clock, context.signal, async (signal) => {
      if (plan.unbroken && alone !== undefined) {
        const keep = (taken: Run['cells']) => onCutShort?.(runSoFar(alone, taken));
        return new Map([[alone, await runUnbrokenCells({ ...context, signal }, alone, keep)]]);
      }
      const runsOf = (taken: ReadonlyMap<ReadySide, Run['cells']>) =>
        ready.map((one) => runSoFar(one, taken.get(one) ?? []));
      return runRounds({ ...context, signal }, ready, {
        isEnough: async (taken) => (await isEnough?.(runsOf(taken))) ?? false,
        sparesOthers: (taken) => sparesOthers?.(runsOf(taken)) ?? false,
      });
    }),
  );
}

/**
 * Profiles a side that was measured alone next to its partner, which is brought up for that. The run is complete by then,
 * so a partner at fault only leaves a note.
 */
async function profileNextTo(
  { tools, options, signal }: MeasureContext,
  runs: readonly Run[],
  ready: readonly ReadySide[],
  inPhase: InPhase,
): Promise<void> {
  const { config, configDirectory, plan, loadHash, onProgress, nextTo } = options;
  const none = (reason: string) => onProgress({ kind: 'note', text: `nothing was profiled: ${reason}` });
  const context: MeasureContext = {
    tools,
    options: { config, configDirectory, plan, loadHash, onProgress },
    signal,
  };
  const [run] = runs;
  try {
    const partner = run === undefined ? undefined : await nextTo?.(run);
    if (partner === undefined) return;
    const reason = whyNotProfiled(ready);
    if (reason !== undefined) return none(reason);
    const side = await partner.side();
    try {
      const scenarios = scenariosForPartner(context, partner.cells);
      const one = await bringUp(context, side, scenarios, ready, [], false);
      if (one === undefined) throw new Error('a side without a condition was not brought up');
      if (!one.warm.steady) return none(`${side.name} had not settled after its warm-up`);
      await profileWorse(context, [one, ...ready], partner.cells, inPhase);
    } finally {
      await downAnyway([side], onProgress);
    }
  } catch (error) {
    if (signal.aborted || !(error instanceof Fault)) throw error;
    none(`${error.details.cause} (${error.details.code})`);
  }
}

/** Those of the named cells, or all if these are only there for their costs: the other side was not warmed up with them. */
function scenariosForPartner(context: MeasureContext, names: readonly string[]): readonly ScenarioScript[] {
  const { options } = context;
  const named = options.plan.cells.filter((cell) => names.includes(cellName(cell)));
  const cells = named.every(({ costsAlone }) => costsAlone) ? options.plan.cells : named;
  return scenariosForWarmUp({ ...context, options: { ...options, plan: { ...options.plan, cells } } });
}

/**
 * Profiles the cells that turned out worse, where all sides can be profiled. The runs are complete by then, so a service
 * that dies under this load does not take them along.
 */
async function profileWorse(
  context: MeasureContext,
  ready: readonly ReadySide[],
  names: readonly string[],
  inPhase: InPhase,
): Promise<void> {
  const { plan, onProgress } = context.options;
  const note = (text: string) => onProgress({ kind: 'note', text });
  const worse = cellsForProfile(plan, names);
  if (worse.length === 0) return;
  const reason = whyNotProfiled(ready);
  if (reason !== undefined) return note(`nothing was profiled: ${reason}`);
  const cells = worse.slice(0, mostScenarios);
  const left = namesOf(worse.slice(mostScenarios));
  if (left !== '') note(`not profiled, because ${mostScenarios} scenarios are enough: ${left}`);
  const services = ready.map(({ service }) => service);
  const detail = `which code uses more CPU or waits longer in ${namesOf(cells)}`;
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

function namesOf(cells: readonly PlannedCell[]): string {
  return cells.map(cellName).join(', ');
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

function loadText({ rounds, cells, unbroken, loadSeconds }: Plan, sides: number): string {
  if (unbroken) {
    const minutes = (loadSeconds / 60).toFixed(1);
    return `${minutes} minutes of load, cell after cell, without a break within a cell`;
  }
  return `up to ${rounds} rounds of ${cells.length} cells${sides === 1 ? '' : ', sides interleaved'}`;
}

/** Stops every stack. One that fails to stop only leaves a note, because there is something else to report. */
function downAnyway(sides: readonly Side[], onProgress: MeasureOptions['onProgress']): Promise<void> {
  return allDown(sides).catch((error: unknown) =>
    onProgress({ kind: 'note', text: `the stack could not be stopped: ${String(error)}` }),
  );
}

/** Stops every stack, even if one of them fails to stop, and then throws the first failure. */
async function allDown(sides: readonly Side[]): Promise<void> {
  const results = await Promise.allSettled(sides.map(({ stack }) => stack.down()));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

function notSettled(warm: WarmUp, { compileMsPerSecond: limit }: Config['warmUp']): InvalidReason {
  const compileMsPerSecond = warm.windows.at(-1)?.compileMsPerSecond ?? 0;
  const jit = compileMsPerSecond > limit ? { compileMsPerSecond, limit } : undefined;
  return invalidReason('I_WARM_UP', { seconds: warm.seconds, jit });
}
