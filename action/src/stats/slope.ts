import { linearRegression, mean, sum } from 'simple-statistics';
import type { Estimate } from '../model/estimate.ts';
import { studentQuantile } from './student-t.ts';

export interface Slope {
  /** Value at the middle of the time. */
  readonly level: number;
  /** Growth per unit of time, with its interval. */
  readonly growth: Estimate;
}

const leastPoints = 6;
/** The beginning of a load, in which caches, pools and the heap fill. */
const settlingShare = 0.15;

/** The points of a load without its beginning. */
export function settled<T>(points: readonly T[]): readonly T[] {
  return points.slice(Math.max(1, Math.ceil(settlingShare * points.length)));
}

/**
 * The slope of batch means over time by least squares, with Student's interval of that level, such as 0.999. Means of
 * batches that are long against the memory of a series are nearly independent (R. W. Conway, Some Tactical Problems in
 * Digital Simulation, Management Science 10(1), 1963). What memory is left widens the interval by
 * √((1 + r) / (1 − r)), with r the correlation of neighbours. Undefined for fewer than six points.
 */
export function slopeOf(
  points: readonly { readonly at: number; readonly value: number }[],
  level: number,
): Slope | undefined {
  if (points.length < leastPoints) return undefined;
  const at = mean(points.map((point) => point.at));
  const middle = mean(points.map((point) => point.value));
  const spread = sum(points.map((point) => (point.at - at) ** 2));
  if (spread === 0) return undefined;
  const { m: value } = linearRegression(points.map((point) => [point.at, point.value]));
  const residuals = points.map((point) => point.value - middle - value * (point.at - at));
  const rest = sum(residuals.map((residual) => residual ** 2));
  const df = points.length - 2;
  const memory = memoryOf(residuals, rest);
  const wider = Math.sqrt((1 + memory) / (1 - memory));
  const half = wider * studentQuantile(1 - (1 - level) / 2, df) * Math.sqrt(rest / df / spread);
  return { level: middle, growth: { value, low: value - half, high: value + half } };
}

/**
 * The correlation of neighbours, 0 or more, and at most 1 - 3/n, because so few points cannot show more. What is left of a
 * short series after its trend shows too little of it, by about (1 + 4r) / n (M. G. Kendall, Note on Bias in the
 * Estimation of Autocorrelation, Biometrika 41, 1954).
 */
function memoryOf(residuals: readonly number[], rest: number): number {
  if (rest === 0) return 0;
  const pairs = sum(residuals.slice(1).map((residual, index) => residual * (residuals[index] ?? 0)));
  const count = residuals.length;
  const corrected = ((count * pairs) / rest + 1) / (count - 4);
  return Math.min(1 - 3 / count, Math.max(0, corrected));
}
