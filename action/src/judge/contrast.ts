import { mean } from 'simple-statistics';
import type { Block, Cell } from '../model/run.ts';
import {
  type Count,
  contrastShares,
  type LogRatio,
  logRatios,
  noiseModel,
  type Pair,
  pairedLogRatios,
  type Setting,
  type ShareContrast,
  type Side,
} from '../stats/index.ts';

export type TimeMetric = 'p95' | 'tps';

/** One time metric of one cell, base against head. */
export interface TimeContrast {
  readonly metric: TimeMetric;
  /** p95 in ms or TPS in requests a second: geometric means over blocks, runs weighted equally. */
  readonly base: number;
  readonly head: number;
  /**
   * log(head / base) of the time that a request takes: of p95, or of VUs / TPS, which in a closed loop is the
   * mean response time and pause by Little's law (1961). Positive is worse for both.
   */
  readonly slowdown: LogRatio;
}

/** Everything about one cell that chance has a part in. */
export interface CellContrast {
  readonly p95: TimeContrast;
  readonly tps: TimeContrast;
  /** Failed requests. */
  readonly errors: ShareContrast;
}

/** A cell of head and the same cell of every base run; all of them have blocks that can be trusted. */
export interface Match {
  readonly head: Cell;
  /** Not empty. */
  readonly base: readonly Cell[];
}

/** How the two sides were measured. */
export interface Measured {
  readonly setting: Setting;
  /** True if base is one run whose blocks took turns with head's. */
  readonly inTurn: boolean;
}

/** A figure beyond this is no measurement; the bound keeps its log and all that follows finite. */
const greatest = 1e15;
/** k6 and the histogram count microseconds. */
const p95ResolutionMs = 0.001;
const smallestTps = 1e-6;

/** What a block that saw nothing may have missed: half a request (the usual continuity correction for a count of 0). */
function tpsResolution({ countedSeconds }: Block): number {
  return Math.max(smallestTps, 0.5 / Math.max(1, countedSeconds));
}

function logOf(value: number, resolution: number): number {
  return Math.log(Math.min(greatest, Math.max(resolution, value)));
}

function logValue(metric: TimeMetric, block: Block): number {
  return metric === 'p95'
    ? logOf(block.latency.p95Ms, p95ResolutionMs)
    : logOf(block.tps, tpsResolution(block));
}

function logs(metric: TimeMetric, cell: Cell): readonly number[] {
  return cell.blocks.map((block) => logValue(metric, block));
}

/** Mean over the blocks of a cell, as a natural log. */
export function logLevel(metric: TimeMetric, cell: Cell): number {
  return mean([...logs(metric, cell)]);
}

function rounds({ blocks }: Cell): string {
  return blocks
    .map(({ round }) => round)
    .sort((left, right) => left - right)
    .join();
}

function byRound(metric: TimeMetric, { blocks }: Cell): ReadonlyMap<number, number> {
  const parts = Map.groupBy(blocks, ({ round }) => round);
  return new Map(
    [...parts].map(([round, all]) => [round, mean(all.map((block) => logValue(metric, block)))]),
  );
}

function pairs(metric: TimeMetric, { base, head }: Match): readonly Pair[] {
  const ofBase = new Map(base.flatMap((cell) => [...byRound(metric, cell)]));
  return [...byRound(metric, head)].map(([round, value]): Pair => [ofBase.get(round) ?? value, value]);
}

function contrastTimes(
  metric: TimeMetric,
  matches: readonly Match[],
  measured: Measured,
): readonly TimeContrast[] {
  const noise = noiseModel(metric, measured.setting);
  const sides = matches.map(({ base, head }) => ({
    base: base.map((cell): readonly number[] => logs(metric, cell)) satisfies Side,
    head: [logs(metric, head)],
  }));
  // Pairs need a partner for every block; a round that only one side has makes the sides two samples.
  const paired =
    measured.inTurn && matches.every(({ base, head }) => base.every((cell) => rounds(cell) === rounds(head)));
  const ratios = paired
    ? pairedLogRatios(
        matches.map((match) => pairs(metric, match)),
        noise,
      )
    : logRatios(sides, noise);
  return ratios.map((ratio, index) => ({
    metric,
    base: geometric(sides[index]?.base ?? []),
    head: geometric(sides[index]?.head ?? []),
    slowdown: metric === 'p95' ? ratio : { ...ratio, estimate: -ratio.estimate },
  }));
}

function geometric(side: Side): number {
  return Math.exp(mean(side.map((blocks) => mean([...blocks]))));
}

function counts(blocks: readonly Block[]): readonly Count[] {
  return blocks.map(({ requests, errors }) => ({ trials: requests, events: Math.min(requests, errors) }));
}

function contrastErrors(matches: readonly Match[]): readonly ShareContrast[] {
  return contrastShares(
    matches.map(({ base, head }) => ({
      base: base.map(({ blocks }) => counts(blocks)),
      head: [counts(head.blocks)],
    })),
  );
}

/** All cells that a check compares, in the same order. */
export function contrastCells(matches: readonly Match[], measured: Measured): readonly CellContrast[] {
  const p95s = contrastTimes('p95', matches, measured);
  const tpses = contrastTimes('tps', matches, measured);
  return contrastErrors(matches).flatMap((errors, index) => {
    const [p95, tps] = [p95s[index], tpses[index]];
    return p95 === undefined || tps === undefined ? [] : [{ p95, tps, errors }];
  });
}
