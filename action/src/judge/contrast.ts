import { mean } from 'simple-statistics';
import type { Block, Cell } from '../model/run.ts';
import { type LogRatio, logRatio, type Pair, pairedLogRatio, type Side } from '../stats/log-ratio.ts';
import { noiseModel, type Setting } from '../stats/noise-model.ts';
import { type Count, designEffect, effective, total } from '../stats/proportion.ts';

export type TimeMetric = 'p95' | 'tps';

/** One time metric of one cell, base against head. */
export interface TimeContrast {
  readonly metric: TimeMetric;
  /** p95 in ms or TPS in requests a second: geometric means over blocks, runs weighted equally. */
  readonly base: number;
  readonly head: number;
  /**
   * log(head / base) of the time that a request takes: of p95, or of the mean response time VUs / TPS that a
   * closed loop has by Little's law (1961). Positive is worse for both.
   */
  readonly slowdown: LogRatio;
}

/** Failed requests of one cell as effective, independent trials. */
export interface ErrorContrast {
  readonly base: Count;
  readonly head: Count;
}

/** Everything about one cell that chance has a part in. */
export interface CellContrast {
  readonly p95: TimeContrast;
  readonly tps: TimeContrast;
  readonly errors: ErrorContrast;
}

/** How the base was measured: stored runs, or one run whose blocks took turns with head's. */
export interface Measured {
  readonly cells: readonly Cell[];
  readonly setting: Setting;
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

function sameRounds(base: Cell, head: Cell): boolean {
  const rounds = ({ blocks }: Cell): string =>
    blocks
      .map(({ round }) => round)
      .sort((left, right) => left - right)
      .join();
  return rounds(base) === rounds(head);
}

function byRound(metric: TimeMetric, { blocks }: Cell): ReadonlyMap<number, number> {
  const rounds = Map.groupBy(blocks, ({ round }) => round);
  return new Map(
    [...rounds].map(([round, all]) => [round, mean(all.map((block) => logValue(metric, block)))]),
  );
}

function pairs(metric: TimeMetric, base: Cell, head: Cell): readonly Pair[] {
  const ofBase = byRound(metric, base);
  return [...byRound(metric, head)].flatMap(([round, value]): Pair[] => {
    const other = ofBase.get(round);
    return other === undefined ? [] : [[other, value]];
  });
}

function contrastTime(metric: TimeMetric, measured: Measured, head: Cell): TimeContrast {
  const logs = (cell: Cell): readonly number[] => cell.blocks.map((block) => logValue(metric, block));
  const base: Side = measured.cells.map(logs);
  const noise = noiseModel(metric, measured.setting);
  const [first] = measured.cells;
  const paired = measured.inTurn && first !== undefined && sameRounds(first, head);
  const ratio = paired
    ? pairedLogRatio(pairs(metric, first, head), noise)
    : logRatio(base, [logs(head)], noise);
  return {
    metric,
    base: Math.exp(mean(base.map((blocks) => mean([...blocks])))),
    head: Math.exp(mean([...logs(head)])),
    slowdown: metric === 'p95' ? ratio : { ...ratio, estimate: -ratio.estimate },
  };
}

function contrastErrors(measured: Measured, head: Cell): ErrorContrast {
  const counts = (blocks: readonly Block[]): readonly Count[] =>
    blocks.map(({ requests, errors }) => ({ trials: requests, events: Math.min(requests, errors) }));
  const ofBase = counts(measured.cells.flatMap(({ blocks }) => blocks));
  const ofHead = counts(head.blocks);
  const deff = designEffect([ofBase, ofHead]);
  return { base: effective(total(ofBase), deff), head: effective(total(ofHead), deff) };
}

/** Head's cell against the base's, all of which have blocks that can be trusted. */
export function contrastCell(measured: Measured, head: Cell): CellContrast {
  return {
    p95: contrastTime('p95', measured, head),
    tps: contrastTime('tps', measured, head),
    errors: contrastErrors(measured, head),
  };
}
