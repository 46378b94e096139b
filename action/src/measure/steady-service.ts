import { resolve } from 'node:path';
import type { WarmUp } from '../model/run.ts';
import { seriesSchemaVersion } from '../model/series.ts';
import { type BlockTools, type MeasuredBlock, runBlock } from './block.ts';
import { bringUp, checkedPlan, phaseTimer, scenariosForWarmUp } from './bring-up.ts';
import type { MeasureContext, MeasureOptions, Side } from './context.ts';
import type { PlannedCell } from './plan.ts';
import type { BootedService } from './ports.ts';
import { watching } from './watch-stacks.ts';
import { type FormerBlock, workOff } from './work-off.ts';

/** A booted and warm service that takes one block after another, in any order. */
export interface SteadyService {
  readonly service: BootedService;
  readonly warm: WarmUp;
  /** The plan's cells, as their scripts say to run them. */
  readonly cells: readonly PlannedCell[];
  /** Takes a block once the service has worked off the one before. */
  take(cell: PlannedCell, options: TakeOptions): Promise<MeasuredBlock>;
}

export interface TakeOptions {
  /** Counted from 0. */
  readonly round: number;
  /** How progress names the block, such as `trip-edit at 200 VUs`. */
  readonly name: string;
  /** Finished share of the whole load, 0 to 1, and the seconds that are left of it. */
  readonly progress: () => { readonly done: number; readonly secondsLeft: number };
}

export type SteadyOptions = Pick<
  MeasureOptions,
  'config' | 'configDirectory' | 'plan' | 'loadHash' | 'onProgress'
>;

/** Boots and warms up a stack, hands it to `work`, and stops it whatever happens. */
export async function withSteadyService<T>(
  tools: BlockTools,
  side: Side,
  options: SteadyOptions,
  signal: AbortSignal,
  work: (steady: SteadyService, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const context: MeasureContext = { tools, options, signal };
  const inPhase = phaseTimer(context, [], '');
  const stop = () => inPhase('stop', 'service and backing services', () => side.stack.down());
  let result: T;
  try {
    const { plan } = await checkedPlan(context);
    const checked: MeasureContext = { ...context, options: { ...options, plan } };
    const ready = await bringUp(checked, side, scenariosForWarmUp(checked), [], [], true);
    if (ready === undefined) throw new Error('a stack without a condition was not brought up');
    const { service, warm } = ready;
    result = await watching([service], tools.clock, signal, (guarded) => {
      const take = blockTaker({ ...checked, signal: guarded }, side, service);
      return work({ service, warm, cells: plan.cells, take }, guarded);
    });
  } catch (error) {
    await stop().catch((later: unknown) =>
      // The first failure is the one to report.
      options.onProgress({ kind: 'note', text: `the stack could not be stopped: ${String(later)}` }),
    );
    throw error;
  }
  await stop();
  return result;
}

function blockTaker(
  context: MeasureContext,
  { name: side, keepSeries }: Side,
  service: BootedService,
): SteadyService['take'] {
  const { tools, options, signal } = context;
  const { config, configDirectory, onProgress } = options;
  let former: FormerBlock | undefined;
  return async (cell, { round, name, progress }) => {
    if (former !== undefined) await workOff(context, former, name);
    const measured = await runBlock(
      tools,
      {
        config,
        cell,
        round,
        service,
        resolveScript: (script) => resolve(configDirectory, script),
        onLive: (figures) => onProgress({ kind: 'live', cell: name, figures, ...progress() }),
      },
      signal,
    );
    // What is kept if a later block fails must not hold one that a late failure has spoilt already.
    await service.verify?.();
    former = { service, block: measured.block };
    const { scenario, load, guardSeconds } = cell;
    const { countedSeconds } = measured.block;
    if (measured.seconds !== undefined) {
      const identity = { schema: seriesSchemaVersion, phase: 'block', side } as const;
      await keepSeries({
        ...identity,
        scenario,
        load,
        round,
        guardSeconds,
        countedSeconds,
        ...measured.seconds,
      });
    }
    return measured;
  };
}
