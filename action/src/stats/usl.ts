import { mean, quantileSorted } from 'simple-statistics';
import type { Estimate } from '../model/estimate.ts';
import { type ScalabilityLaw, throughputAt } from '../model/scalability-law.ts';
import { createRandom } from './random.ts';

/** Throughput with that many concurrent users. */
export interface Scaling {
  readonly users: number;
  /** Requests per second, above 0. */
  readonly throughput: number;
}

/** The most that the law predicts for any number of users from 1 to `mostUsers`, and the users that reach it first. */
export function peakOf(law: ScalabilityLaw, mostUsers: number): Scaling {
  const { contention, coherence } = law;
  const turn = coherence > 0 ? Math.sqrt((1 - contention) / coherence) : Number.POSITIVE_INFINITY;
  // If all of the work is done one request at a time, a second user adds nothing.
  const users = contention < 1 ? Math.max(1, Math.min(mostUsers, turn)) : 1;
  return { users, throughput: throughputAt(law, users) };
}

/**
 * The knee: where the line of light load reaches the highest throughput, N = X_max / λ. Below it, more users mean more
 * throughput; above it, they wait. P. J. Denning and J. P. Buzen, The Operational Analysis of Queueing Network Models,
 * ACM Computing Surveys 10(3), 1978, call it the saturation point.
 */
export function kneeOf(law: ScalabilityLaw, mostUsers: number): number {
  return peakOf(law, mostUsers).throughput / law.single;
}

/**
 * Fits the law by least squares of relative errors, because throughput scatters in proportion to itself. N / X is linear
 * in 1/λ, σ/λ and κ/λ, so the best values follow from a system of equations; σ or κ that would be negative is 0, and σ that
 * would be above 1 is 1. Undefined if the measurements do not determine it.
 */
export function fitScalabilityLaw(points: readonly Scaling[]): ScalabilityLaw | undefined {
  if (new Set(points.map(({ users }) => users)).size < 3) return undefined;
  const rows = points.map(({ users: n, throughput: x }) => {
    const weight = x / n;
    // With σ = 1 the first two are one: N / X = N/λ + κ/λ·N(N − 1).
    return [weight, weight * (n - 1), weight * n * (n - 1), weight * n] as const;
  });
  let best: { readonly error: number; readonly law: ScalabilityLaw } | undefined;
  for (const columns of [[0, 1, 2], [0, 1], [0, 2], [0], [3, 2], [3]]) {
    const solved = leastSquares(rows.map((row) => columns.map((column) => row[column as 0 | 1 | 2 | 3])));
    if (solved === undefined) continue;
    const solution = (column: number) => solved[columns.indexOf(column)] ?? 0;
    const [inverse, a, b] = [solution(0) + solution(3), solution(1) + solution(3), solution(2)];
    if (!(inverse > 0) || a < 0 || a > inverse || b < 0) continue;
    const law = { single: 1 / inverse, contention: a / inverse, coherence: b / inverse };
    const error = points.reduce(
      (sum, { users, throughput }) => sum + (throughput / throughputAt(law, users) - 1) ** 2,
      0,
    );
    if (best === undefined || error < best.error * (1 - 1e-9)) best = { error, law };
  }
  return best?.law;
}

/** The values that make every row's sum closest to 1, by the normal equations; undefined if rows do not determine them. */
function leastSquares(rows: readonly (readonly number[])[]): readonly number[] | undefined {
  const size = rows[0]?.length ?? 0;
  // Columns differ by powers of ten, so each is scaled to a length of 1.
  const lengths = Array.from({ length: size }, (_, at) => Math.hypot(...rows.map((row) => row[at] ?? 0)));
  if (lengths.some((length) => length === 0)) return undefined;
  const scaled = rows.map((row) => row.map((value, at) => value / (lengths[at] ?? 1)));
  const matrix = Array.from({ length: size }, (_, i) => [
    ...Array.from({ length: size }, (_unused, j) =>
      scaled.reduce((sum, row) => sum + (row[i] ?? 0) * (row[j] ?? 0), 0),
    ),
    scaled.reduce((sum, row) => sum + (row[i] ?? 0), 0),
  ]);
  return solve(matrix)?.map((value, at) => value / (lengths[at] ?? 1));
}

/** Gaussian elimination with pivots, of a matrix with its right side as last column. */
function solve(matrix: number[][]): readonly number[] | undefined {
  const size = matrix.length;
  for (let column = 0; column < size; column++) {
    const rest = matrix.slice(column).map((row) => Math.abs(row[column] ?? 0));
    const pivot = column + rest.indexOf(Math.max(...rest));
    const chosen = matrix[pivot];
    const current = matrix[column];
    if (chosen === undefined || current === undefined || Math.abs(chosen[column] ?? 0) < 1e-12)
      return undefined;
    matrix[pivot] = current;
    matrix[column] = chosen;
    for (const [index, row] of matrix.entries()) {
      if (index === column) continue;
      const factor = (row[column] ?? 0) / (chosen[column] ?? 1);
      for (let at = column; at <= size; at++) row[at] = (row[at] ?? 0) - factor * (chosen[at] ?? 0);
    }
  }
  return matrix.map((row, at) => (row[size] ?? 0) / (row[at] ?? 1));
}

const resamples = 400;
const tail = 0.025;

/**
 * The measurements of a step, farther from their mean. They lie closer to the mean of their own n than to the true one, by the
 * root of (n - 1) / n.
 */
function stretched(step: readonly Scaling[]): readonly Scaling[] {
  const logs = step.map(({ throughput }) => Math.log(throughput));
  const middle = mean(logs);
  const stretch = Math.sqrt(step.length / (step.length - 1));
  return step.map(({ users }, at) => ({
    users,
    throughput: Math.exp(middle + stretch * ((logs[at] ?? middle) - middle)),
  }));
}

/**
 * 95% ranges of what follows from the law, by a bootstrap that draws each step's measurements anew with replacement
 * (B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap, 1993). None if a step has a single measurement, because
 * that does not show how it scatters.
 */
export function rangesOf<Name extends string>(
  steps: readonly (readonly Scaling[])[],
  values: (law: ScalabilityLaw) => Readonly<Record<Name, number>>,
): Readonly<Partial<Record<Name, Pick<Estimate, 'low' | 'high'>>>> {
  if (steps.some(({ length }) => length < 2)) return {} as ReturnType<typeof rangesOf<Name>>;
  const sources = steps.map(stretched);
  const random = createRandom(1);
  const drawn: Partial<Record<Name, number[]>> = {};
  for (let round = 0; round < resamples; round++) {
    const points = sources.flatMap((step) =>
      step.flatMap(() => step[Math.floor(random() * step.length)] ?? []),
    );
    const law = fitScalabilityLaw(points);
    if (law === undefined) continue;
    for (const [name, value] of Object.entries(values(law)) as [Name, number][]) {
      drawn[name] ??= [];
      drawn[name].push(value);
    }
  }
  const ranges = (Object.entries(drawn) as [Name, number[]][]).map(([name, all]) => {
    const sorted = all.toSorted((a, b) => a - b);
    const [low, high] = [quantileSorted(sorted, tail), quantileSorted(sorted, 1 - tail)];
    return [name, { low, high }] as const;
  });
  return Object.fromEntries(ranges) as ReturnType<typeof rangesOf<Name>>;
}
