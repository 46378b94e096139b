import { resolve } from 'node:path';
import { invalidReason } from '../model/invalid-reason.ts';
import { type Block, type Cell, cellName } from '../model/run.ts';
import { seriesSchemaVersion } from '../model/series.ts';
import { type BlockOptions, runBlock } from './block.ts';
import { firstCause, onlyFailedAnswers } from './block-validity.ts';
import type { MeasureContext, ReadySide, Side } from './context.ts';
import { waitUntilQuiet } from './idle.ts';
import { longestSeconds, type Plan, type PlannedCell } from './plan.ts';
import type { CellFigures } from './ports.ts';
import { type TakenRounds, type Turn, takeRounds } from './rounds.ts';
import { loadProgress } from './time-left.ts';
import { type FormerBlock, reportedWaitSeconds, workOff } from './work-off.ts';

/** What is asked while rounds are taken, of each side's cells so far. */
export interface AskedInRounds {
  readonly isEnough: (cells: ReadonlyMap<ReadySide, Cell[]>) => Promise<boolean>;
  readonly sparesOthers: (cells: ReadonlyMap<ReadySide, Cell[]>) => boolean;
}

/** Takes every block of the plan and reports progress. Returns each side's cells in the plan's order. */
export async function runRounds(
  context: MeasureContext,
  ready: readonly ReadySide[],
  { isEnough, sparesOthers }: AskedInRounds,
): Promise<ReadonlyMap<ReadySide, Cell[]>> {
  const { tools, options, signal } = context;
  const { plan, config, onProgress, configDirectory } = options;
  const { clock } = tools;
  const note = (text: string) => onProgress({ kind: 'note', text });
  const nameOf = ({ side, cell }: Turn<ReadySide>) =>
    ready.length === 1 ? cellName(cell) : `${side.side.name} ${cellName(cell)}`;
  const progress = loadProgress(plan.loadSeconds * ready.length, () => clock.monotonicMs());
  let former: FormerBlock | undefined;
  const cellsSoFar = (blocks: TakenRounds<ReadySide, Block>['blocks']) =>
    new Map(ready.map((side) => [side, toCells(plan, blocks.get(side), undefined)]));
  const { blocks, broken } = await takeRounds(plan, ready, {
    take: async (turn) => {
      const { cell, round, side } = turn;
      const name = nameOf(turn);
      const report = (figures: CellFigures | undefined) =>
        onProgress({ kind: 'live', cell: name, figures, ...progress.now() });
      if (former !== undefined) await workOff(context, former, name);
      progress.begin(cell);
      report(undefined);
      const { scenario, load, guardSeconds } = cell;
      const { name: sideName, keepSeries } = side.side;
      const identity = { schema: seriesSchemaVersion, phase: 'block', side: sideName } as const;
      const { block, seconds } = await runBlock(
        tools,
        {
          config,
          cell,
          round,
          service: side.service,
          resolveScript: (script) => resolve(configDirectory, script),
          onLive: report,
          ...sendingSeconds(side.side, cell, round),
        },
        signal,
      );
      former = { service: side.service, block };
      if (seconds !== undefined) {
        const { countedSeconds } = block;
        await keepSeries({ ...identity, scenario, load, round, guardSeconds, countedSeconds, ...seconds });
      }
      progress.end(cell);
      report({ tps: block.tps, p95Ms: block.latency.p95Ms, errors: block.errors });
      return block;
    },
    isKept: ({ side }, block) => side.side.name === 'base' && onlyFailedAnswers(block.invalid),
    isEnough: async (soFar, cells) => {
      const enough = await isEnough(cellsSoFar(soFar));
      const of = cells.length < plan.cells.length ? ` of ${cells.map(cellName).join(', ')}` : '';
      if (!enough) return false;
      note(`no more rounds${of}, because these are enough`);
      for (const cell of cells) {
        const taken = ready.map((side) => soFar.get(side)?.get(cell)?.length ?? 0);
        progress.add(cell, taken.reduce((sum, count) => sum + count) - cell.rounds * ready.length);
      }
      return true;
    },
    sparesOthers: (soFar) => {
      const spared = sparesOthers(cellsSoFar(soFar));
      if (spared) note('the others are not measured, because one regression is enough');
      return spared;
    },
    postponed: ({ turn, block }) => {
      progress.add(turn.cell, ready.length);
      note(
        `${nameOf(turn)} will be repeated after this round${partnersOf(turn, ready)}: ${firstCause(block)}`,
      );
    },
    givenUp: ({ turn, block }) =>
      note(`${nameOf(turn)} is left out, because no time for repeats is left: ${firstCause(block)}`),
    untilQuiet: (cell, secondsAtMost) => waitToRepeat(context, cell, secondsAtMost),
  });
  if (broken !== undefined) {
    const { turn, block } = broken;
    note(`stopped in round ${turn.round + 1} of ${plan.rounds}: ${nameOf(turn)}: ${firstCause(block)}`);
  }
  return new Map(ready.map((side) => [side, toCells(plan, blocks.get(side), broken?.block)]));
}

/** Waits for a quiet machine before a cell is repeated, and returns how many seconds that took. */
async function waitToRepeat(
  { tools: { clock, machine }, options: { config, onProgress }, signal }: MeasureContext,
  cell: PlannedCell,
  secondsAtMost: number,
): Promise<number> {
  const { idle, seconds } = await waitUntilQuiet(clock, machine, config.limits, secondsAtMost, signal);
  if (seconds >= reportedWaitSeconds) {
    const state = idle ? 'the machine became quiet' : 'the machine was still busy; measuring anyway';
    const text = `after ${seconds.toFixed(0)} s of waiting to repeat ${cellName(cell)}, ${state}`;
    onProgress({ kind: 'note', text });
  }
  return seconds;
}

/** `, together with base` for head; empty for a side that is measured alone. */
function partnersOf({ side }: Turn<ReadySide>, ready: readonly ReadySide[]): string {
  const others = ready.filter((one) => one !== side);
  return others.map((one) => `, together with ${one.side.name}`).join('');
}

/** The cells of one side that were not spared. The block that ended rounds early says so. */
function toCells(
  plan: Plan,
  blocks: ReadonlyMap<PlannedCell, readonly Block[]> | undefined,
  stopping: Block | undefined,
): Cell[] {
  const withReason = (block: Block): Block => {
    if (block !== stopping) return block;
    const stopped = invalidReason('I_STOPPED', { round: block.round, rounds: plan.rounds });
    return { ...block, invalid: [...block.invalid, stopped] };
  };
  const isSpared = (cell: PlannedCell) => stopping === undefined && blocks?.get(cell) === undefined;
  return plan.cells
    .filter((cell) => !isSpared(cell))
    .map((cell) => cellOf(cell, (blocks?.get(cell) ?? []).map(withReason)));
}

export function cellOf({ scenario, load, vus, arrival }: PlannedCell, blocks: Block[]): Cell {
  return { scenario, load, vus, ...(arrival === undefined ? {} : { arrival: arrival.perSecond }), blocks };
}

/** Passes on the seconds of a running load, if somebody asked for them. `cell` has the times of the load. */
export function sendingSeconds(
  { name: side, sendSeries }: Side,
  cell: PlannedCell,
  round: number,
): Pick<BlockOptions, 'onSeconds'> {
  if (sendSeries === undefined) return {};
  const { scenario, load, guardSeconds } = cell;
  const identity = { schema: seriesSchemaVersion, phase: 'block', side, scenario, load, round } as const;
  return {
    onSeconds: ({ from, ...passed }) => {
      const guardLeft = Math.max(0, guardSeconds - from);
      const countedLeft = Math.max(0, longestSeconds(cell) - from) - guardLeft;
      sendSeries({ ...identity, guardSeconds: guardLeft, countedSeconds: countedLeft, ...passed });
    },
  };
}
