import { mean } from 'simple-statistics';
import {
  isRatioMetric,
  type MetricName,
  metrics,
  type RatioMetric,
  type RatioMetricName,
  type ReadingMachine,
  type ShareMetricName,
} from '../model/metric.ts';
import type { Cell } from '../model/run.ts';
import {
  contrastShares,
  type LogRatio,
  logRatios,
  noiseModel,
  type Pair,
  pairedLogRatios,
  type Setting,
  type ShareContrast,
} from '../stats/index.ts';

/** A metric on the log scale, base against head in one cell. */
export interface RatioContrast {
  readonly metric: RatioMetricName;
  /** In the metric's unit: geometric means over blocks, with equal weight for every run. */
  readonly base: number;
  readonly head: number;
  /** log(head / base), signed so that positive is worse. */
  readonly worsening: LogRatio;
}

/** A share of requests, base against head in one cell. */
export interface ShareDifference {
  readonly metric: ShareMetricName;
  readonly shares: ShareContrast;
}

/** One cell's metrics with chance's part in each: only those that both sides measured. */
export type CellContrast = readonly (RatioContrast | ShareDifference)[];

/** A cell of head and the same cell of every base run; all of them have blocks that can be trusted. */
export interface Match {
  readonly head: Cell;
  /** Not empty. */
  readonly base: readonly Cell[];
}

/** How the two sides were measured. */
export interface ComparisonSetup {
  readonly setting: Setting;
  /** True if base is one run whose blocks were interleaved with head's. */
  readonly interleaved: boolean;
  readonly machine: ReadingMachine;
}

/** One block's round and the natural log of its value. */
interface Level {
  readonly round: number;
  readonly log: number;
}

/** A figure beyond this is no measurement; the bound keeps its log and all that follows finite. */
const greatest = 1e15;

/** Undefined if a block does not have the metric. */
function levelsOf(metric: RatioMetric, cell: Cell, machine: ReadingMachine): readonly Level[] | undefined {
  const levels = cell.blocks.flatMap((block) => {
    const value = metric.read(block, machine);
    if (value === undefined) return [];
    const bounded = Math.min(greatest, Math.max(metric.resolution(block), value));
    return [{ round: block.round, log: Math.log(bounded) }];
  });
  return levels.length === cell.blocks.length ? levels : undefined;
}

function logs(levels: readonly Level[]): readonly number[] {
  return levels.map(({ log }) => log);
}

/** Mean over the blocks of a cell, as a natural log; undefined if a block does not have the metric. */
export function logLevel(name: RatioMetricName, cell: Cell, machine: ReadingMachine): number | undefined {
  const levels = levelsOf(metrics[name], cell, machine);
  return levels === undefined ? undefined : mean([...logs(levels)]);
}

function rounds(levels: readonly Level[]): string {
  return levels
    .map(({ round }) => round)
    .sort((left, right) => left - right)
    .join();
}

function byRound(levels: readonly Level[]): ReadonlyMap<number, number> {
  const parts = Map.groupBy(levels, ({ round }) => round);
  return new Map([...parts].map(([round, all]) => [round, mean([...logs(all)])]));
}

/** A cell's levels of either side. */
interface Sides {
  readonly match: Match;
  readonly base: readonly (readonly Level[])[];
  readonly head: readonly Level[];
}

function pairs({ base, head }: Sides): readonly Pair[] {
  const baseLevels = new Map(base.flatMap((levels) => [...byRound(levels)]));
  return [...byRound(head)].map(([round, value]): Pair => [baseLevels.get(round) ?? value, value]);
}

function geometric(runs: readonly (readonly Level[])[]): number {
  return Math.exp(mean(runs.map((levels) => mean([...logs(levels)]))));
}

function contrastRatios(
  name: RatioMetricName,
  matches: readonly Match[],
  { setting, interleaved, machine }: ComparisonSetup,
): ReadonlyMap<Match, RatioContrast> {
  const metric = metrics[name];
  const noise = noiseModel(metric.noise, setting);
  const measured = matches.flatMap((match): Sides[] => {
    const head = levelsOf(metric, match.head, machine);
    const base = match.base.flatMap((cell) => {
      const levels = levelsOf(metric, cell, machine);
      return levels === undefined ? [] : [levels];
    });
    return head === undefined || base.length < match.base.length ? [] : [{ match, base, head }];
  });
  // Pairs need a partner for every block; a round that only one side has makes the sides two samples.
  const paired =
    interleaved &&
    measured.every(({ base, head }) => base.every((levels) => rounds(levels) === rounds(head)));
  const ratios = paired
    ? pairedLogRatios(measured.map(pairs), noise)
    : logRatios(
        measured.map(({ base, head }) => ({ base: base.map(logs), head: [logs(head)] })),
        noise,
      );
  return new Map(
    ratios.flatMap((ratio, index): [Match, RatioContrast][] => {
      const sides = measured[index];
      if (sides === undefined) return [];
      const estimate = metric.worse === 'higher' ? ratio.estimate : -ratio.estimate;
      return [
        [
          sides.match,
          {
            metric: name,
            base: geometric(sides.base),
            head: geometric([sides.head]),
            worsening: { ...ratio, estimate },
          },
        ],
      ];
    }),
  );
}

function contrastOneShare(
  name: ShareMetricName,
  matches: readonly Match[],
): ReadonlyMap<Match, ShareDifference> {
  const { count } = metrics[name];
  const counts = (cell: Cell) => cell.blocks.map(count);
  const contrasts = contrastShares(
    matches.map(({ base, head }) => ({ base: base.map(counts), head: [counts(head)] })),
  );
  return new Map(
    matches.flatMap((match, index): [Match, ShareDifference][] => {
      const shares = contrasts[index];
      return shares === undefined ? [] : [[match, { metric: name, shares }]];
    }),
  );
}

/** What the metrics of all cells changed by, cells and metrics in the given order. */
export function contrastCells(
  matches: readonly Match[],
  conditions: ComparisonSetup,
  names: readonly MetricName[],
): readonly CellContrast[] {
  const columns = names.map((name) =>
    isRatioMetric(name) ? contrastRatios(name, matches, conditions) : contrastOneShare(name, matches),
  );
  return matches.map((match) => columns.flatMap((column) => column.get(match) ?? []));
}
