import { mean, sampleVariance } from 'simple-statistics';
import type { Estimate } from '../model/estimate.ts';
import { studentQuantile } from './student-t.ts';

const level = 0.975;

/**
 * The geometric mean of positive figures that scatter in proportion to themselves, with Student's 95% interval on the log
 * scale. One figure has an interval without bounds, since nothing says how it scatters.
 */
export function geometricEstimate(values: readonly number[]): Estimate {
  const logs = values.map((value) => Math.log(value));
  const middle = mean(logs);
  const value = Math.exp(middle);
  if (logs.length < 2) return { value, low: 0, high: Number.POSITIVE_INFINITY };
  const half = studentQuantile(level, logs.length - 1) * Math.sqrt(sampleVariance(logs) / logs.length);
  return { value, low: Math.exp(middle - half), high: Math.exp(middle + half) };
}
