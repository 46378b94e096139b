import { studentTail } from './student-t.ts';

/** Where the level of a series changed. */
export interface ChangePoint {
  /** Position of the first value after the change; the values up to the next change point belong to it. */
  readonly index: number;
  /** Mean between the change point before it, or the start, and this one. */
  readonly before: number;
  /** Mean between this change point and the next one, or the end. */
  readonly after: number;
  /** Chance that Student's t-test gives to so large a difference without a change. */
  readonly p: number;
}

export interface ChangePointOptions {
  /** Values that are searched at a time, at least 2. A longer series is searched in windows that overlap by half. */
  readonly window: number;
  /** A change point with a greater p is dropped, above 0 and below 1. */
  readonly mostP: number;
  /** A change point whose relative difference, seen from its smaller side, is at most this is dropped. */
  readonly leastChange: number;
}

/**
 * The settings of Apache Otava, except that one percent of the smaller level is the least that counts: a series of
 * runs that barely differ has tiny variances.
 */
export const changePointDefaults: ChangePointOptions = { window: 50, mostP: 0.001, leastChange: 0.01 };

/** What was divided out of values before. */
export interface DividedOut {
  /** Of each value, as a log. */
  readonly logs: readonly number[];
  /** The share of that log that may be left, from 0 to 1. A change point that is no greater is dropped. */
  readonly mostLeft: number;
}

/**
 * Change points of a series by E-divisive means (Matteson and James 2014, doi:10.1080/01621459.2013.849605), with
 * windows, Student's t-test and merging as Hunter has them (Fleming et al. 2023, doi:10.1145/3578244.3583719). Windows
 * are searched with a weaker p; of what they find, the weakest points go until all that are left are strong.
 *
 * Like Apache Otava, the test takes standard deviations of populations. A test compares the two on the same series.
 */
export function changePoints(
  values: readonly number[],
  { window, mostP, leastChange }: ChangePointOptions = changePointDefaults,
  dividedOut?: DividedOut,
): readonly ChangePoint[] {
  let points = weakPoints(values, window, weakerP(mostP));
  while (points.length > 0) {
    const tested = testedAt(values, points);
    const left = dividedOut === undefined ? [] : leftAt(dividedOut, points);
    const weakest = leastBy(tested, ({ p }) => -p);
    const smallest = leastBy(
      tested.map((point, at) => ({
        point,
        excess: relativeChange(point) - Math.max(leastChange, left[at] ?? 0),
      })),
      ({ excess }) => excess,
    );
    if (weakest.p < mostP && smallest.excess > 0) return tested;
    const dropped = weakest.p < mostP ? smallest.point : weakest;
    points = points.filter((index) => index !== dropped.index);
  }
  return [];
}

/** What windows are searched with, as in Apache Otava. */
function weakerP(p: number): number {
  if (p < 0.05) return 10 * p;
  return p < 0.5 ? 2 * p : p;
}

/** Positions that overlapping windows find, in order. */
function weakPoints(values: readonly number[], window: number, mostP: number): readonly number[] {
  const found = new Set<number>();
  let start = 0;
  while (start < values.length) {
    const from = start;
    const inWindow = divide(values.slice(from, from + window), mostP).map((index) => from + index);
    for (const index of inWindow) found.add(index);
    start = Math.max(inWindow.at(-1) ?? 0, from + Math.floor(window / 2));
  }
  return [...found].toSorted((a, b) => a - b);
}

/** Splits where the distance between the two sides is greatest, for as long as that split is significant. */
function divide(values: readonly number[], mostP: number): readonly number[] {
  const sums = distanceSums(values);
  let points: readonly number[] = [];
  for (;;) {
    const segments = segmentsOf(points, values.length).filter(({ from, to }) => to - from > 1);
    if (segments.length === 0) return points;
    const splits = segments.map((segment) => ({ ...segment, ...bestSplit(sums, segment) }));
    const { from, at, to } = leastBy(splits, ({ energy }) => -energy);
    if (tTest(values.slice(from, at), values.slice(at, to)).p > mostP) return points;
    points = [...points, at].toSorted((a, b) => a - b);
  }
}

interface Segment {
  readonly from: number;
  /** Position after its last value. */
  readonly to: number;
}

function segmentsOf(points: readonly number[], length: number): readonly Segment[] {
  return [0, ...points].map((from, index) => ({ from, to: points[index] ?? length }));
}

/** `sums[i][j]` is the sum of distances between the first i and the first j values. */
type DistanceSums = readonly (readonly number[])[];

function distanceSums(values: readonly number[]): DistanceSums {
  const sums = [values.map(() => 0).concat(0)];
  for (const [i, a] of values.entries()) {
    const row = [0];
    let inRow = 0;
    for (const [j, b] of values.entries()) {
      inRow += Math.abs(a - b);
      row.push((sums[i]?.[j + 1] ?? 0) + inRow);
    }
    sums.push(row);
  }
  return sums;
}

/**
 * The split of a segment with the greatest scaled sample energy (Matteson and James 2014, equations 6 and 7, with
 * alpha 1). The right side may end before the segment does, so that one change does not hide another.
 */
function bestSplit(
  sums: DistanceSums,
  { from, to }: Segment,
): { readonly at: number; readonly energy: number } {
  const sum = (i: number, j: number) => sums[i]?.[j] ?? 0;
  const between = (a: number, b: number, c: number, d: number) =>
    sum(b, d) - sum(a, d) - sum(b, c) + sum(a, c);
  let best = { at: from + 1, energy: Number.NEGATIVE_INFINITY };
  for (let at = from + 1; at < to; at++) {
    for (let end = at + 1; end <= to; end++) {
      const [left, right] = [at - from, end - at];
      const within = (a: number, b: number, others: number) =>
        b - a < 2 ? 0 : (others * between(a, b, a, b)) / (b - a - 1);
      const energy =
        (2 * between(from, at, at, end) - within(from, at, right) - within(at, end, left)) / (left + right);
      if (energy > best.energy) best = { at, energy };
    }
  }
  return best;
}

function testedAt(values: readonly number[], points: readonly number[]): readonly ChangePoint[] {
  const segments = segmentsOf(points, values.length);
  return points.map((index, at) => {
    const side = ({ from, to }: Segment = { from: 0, to: 0 }) => values.slice(from, to);
    return { index, ...tTest(side(segments[at]), side(segments[at + 1])) };
  });
}

/** The relative change at each point that what was divided out may have left. */
function leftAt({ logs, mostLeft }: DividedOut, points: readonly number[]): readonly number[] {
  const sides = segmentsOf(points, logs.length).map(({ from, to }) => logs.slice(from, to));
  return points.map((_, at) => Math.expm1(mostLeft * distance(sides[at] ?? [], sides[at + 1] ?? [])));
}

/**
 * How far values have to move on average for one sample to become the other: the first Wasserstein distance, the area between
 * the empirical distribution functions (Vallender 1974, doi:10.1137/1118101). It is 0 only if both distributions are equal.
 */
function distance(left: readonly number[], right: readonly number[]): number {
  const steps = [
    ...left.map((value) => ({ value, step: 1 / left.length })),
    ...right.map((value) => ({ value, step: -1 / right.length })),
  ].toSorted((a, b) => a.value - b.value);
  let [apart, area] = [0, 0];
  for (const [at, { value, step }] of steps.entries()) {
    apart += step;
    area += Math.abs(apart) * ((steps[at + 1]?.value ?? value) - value);
  }
  return area;
}

/** Student's two-sided t-test of two samples with one variance. */
function tTest(left: readonly number[], right: readonly number[]): Omit<ChangePoint, 'index'> {
  const [before, after] = [mean(left), mean(right)];
  const df = left.length + right.length - 2;
  if (df < 1 || before === after) return { before, after, p: 1 };
  const pooled =
    ((left.length - 1) * variance(left, before) + (right.length - 1) * variance(right, after)) / df;
  const error = Math.sqrt(pooled * (1 / left.length + 1 / right.length));
  return { before, after, p: error === 0 ? 0 : 2 * studentTail(Math.abs(after - before) / error, df) };
}

/** The greater one of the change forwards and backwards; a level of 0 has no relative change from it. */
function relativeChange({ before, after }: Pick<ChangePoint, 'before' | 'after'>): number {
  const from = (base: number, other: number) => (base === 0 ? 0 : Math.abs(other / base - 1));
  return Math.max(from(before, after), from(after, before));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function variance(values: readonly number[], center: number): number {
  return mean(values.map((value) => (value - center) ** 2));
}

/** The first of those with the least score. */
function leastBy<T>(items: readonly T[], score: (item: T) => number): T {
  return items.reduce((least, item) => (score(item) < score(least) ? item : least));
}
