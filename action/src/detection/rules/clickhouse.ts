import type { Series } from '../trial.ts';
import { beyond, type Peer } from './peer.ts';

/*
 * The comparison of ClickHouse's performance tests: medians of both sides, with the randomization distribution of their
 * difference from `eqmed.sql`, and the thresholds of `compare.sh`. That draws 10,000 relabelings; up to so many, all of them
 * are made here.
 */

const source =
  'https://github.com/ClickHouse/ClickHouse/blob/0da494f6fe18765e0fb2455907fc2dd6077f78f8/tests/performance/scripts/compare.sh';

/** The exact median is the upper one of two, as ClickHouse's `medianExact` has it. */
export function medianExact(values: readonly number[]): number {
  return quantileExact(values, 0.5);
}

function quantileExact(values: readonly number[], level: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(level * sorted.length)] ?? Number.NaN;
}

/** Every choice of `size` positions among twice as many that contains the first one; the others only swap the sides. */
function* halves(size: number): Generator<readonly number[]> {
  const chosen = Array.from({ length: size }, (_, index) => index);
  for (;;) {
    yield chosen;
    let at = size - 1;
    while (at > 0 && chosen[at] === size + at) at--;
    if (at <= 0) return;
    const next = (chosen[at] ?? 0) + 1;
    for (let after = at; after < size; after++) chosen[after] = next + after - at;
  }
}

/** Where the medians of both sides stand among all values in order, whichever side they are of, and how often. */
interface MedianRanks {
  readonly lower: number;
  readonly upper: number;
  readonly relabelings: number;
}

const knownRanks = new Map<number, readonly MedianRanks[]>();

/** Only the order of the values decides which of them are medians, so this is the same for all data of one size. */
export function medianRanks(size: number): readonly MedianRanks[] {
  const known = knownRanks.get(size);
  if (known !== undefined) return known;
  const middle = Math.floor(size / 2);
  const found = new Map<string, MedianRanks>();
  for (const chosen of halves(size)) {
    const rest = Array.from({ length: 2 * size }, (_, at) => at).filter((at) => !chosen.includes(at));
    const [lower = 0, upper = 0] = [chosen[middle], rest[middle]].toSorted((a = 0, b = 0) => a - b);
    const key = `${lower} ${upper}`;
    found.set(key, { lower, upper, relabelings: (found.get(key)?.relabelings ?? 0) + 1 });
  }
  const ranks = [...found.values()];
  knownRanks.set(size, ranks);
  return ranks;
}

/** What the difference of medians exceeds in one of a hundred relabelings. */
export function relabeledThreshold(left: readonly number[], right: readonly number[]): number {
  const sorted = [...left, ...right].toSorted((a, b) => a - b);
  const ranks = medianRanks(left.length);
  const total = ranks.reduce((sum, { relabelings }) => sum + relabelings, 0);
  const differences = ranks
    .map(({ lower, upper, relabelings }) => ({
      difference: (sorted[upper] ?? 0) - (sorted[lower] ?? 0),
      relabelings,
    }))
    .toSorted((a, b) => a.difference - b.difference);
  let seen = 0;
  for (const { difference, relabelings } of differences) {
    seen += relabelings;
    if (seen > Math.floor(0.99 * total)) return difference;
  }
  return differences.at(-1)?.difference ?? 0;
}

interface Comparison {
  /** Relative difference of the medians. */
  readonly difference: number;
  /** What relabeling alone exceeds in one of a hundred cases, relative to the left median. */
  readonly threshold: number;
}

/** Sides longer than this are cut, so that all relabelings can be made; ClickHouse measures seven times itself. */
const mostOfASide = 7;

export function compareMedians(left: readonly number[], right: readonly number[]): Comparison {
  const size = Math.min(mostOfASide, left.length, right.length);
  const [before, after] = [left.slice(0, size), right.slice(0, size)];
  const median = medianExact(before);
  const floor3 = (value: number) => Math.floor(value * 1000) / 1000;
  return {
    difference: floor3((medianExact(after) - median) / median),
    threshold: floor3(relabeledThreshold(before, after) / median),
  };
}

/** What a change has to exceed at least, by `report_thresholds`. `learned` is 1.5 times what unchanged code showed. */
export function changedThreshold(learned = 0): number {
  return Math.ceil(Math.max(0.1, learned) * 100 - 1e-9) / 100;
}

/** Pull requests are measured less often than the runs that the floor is learned from. */
const lessPrecise = 1.5;

/**
 * ClickHouse compares how long queries take, so throughput is turned into the time per request. Blocks without requests have
 * none.
 */
function timesOf({ worse, beside }: Series): Series['beside'] {
  const times = (values: readonly number[]) =>
    worse === 'lower' ? values.filter((value) => value > 0).map((value) => 1 / value) : values;
  return { base: times(beside.base), head: times(beside.head) };
}

/** One value alone cannot be relabeled. */
function isComparable({ base, head }: Series['beside']): boolean {
  return Math.min(base.length, head.length) >= 2;
}

/** The floors that unchanged code teaches, for each series by its name: the 99th percentile of its differences. */
function learnedFloors(unchanged: readonly Series[]): ReadonlyMap<string, number> {
  const byName = Map.groupBy(unchanged, ({ name }) => name);
  return new Map(
    [...byName].map(([name, all]) => {
      const differences = all
        .map(timesOf)
        .filter(isComparable)
        .map(({ base, head }) => Math.abs(compareMedians(base, head).difference));
      return [name, differences.length === 0 ? 0 : quantileExact(differences, 0.99) * lessPrecise];
    }),
  );
}

/** The permutation test; with `unchanged` series, each series has the floor that those of its name teach. */
export function clickHouse(unchanged?: readonly Series[]): Peer {
  const floors = learnedFloors(unchanged ?? []);
  return {
    name: unchanged === undefined ? 'clickhouse' : 'clickhouse-learned',
    title: `ClickHouse's permutation test, ${unchanged === undefined ? '10%' : 'learned floor'}`,
    source,
    measures: 'interleaved',
    score: (series) => {
      const sides = timesOf(series);
      if (!isComparable(sides)) return undefined;
      const { difference, threshold } = compareMedians(sides.base, sides.head);
      const score = beyond({ worse: 'higher' }, 0, difference, changedThreshold(floors.get(series.name)));
      return Math.abs(difference) >= threshold ? score : 0;
    },
  };
}
