import { normalTail, studentQuantile } from './student-t.ts';
import type { VarianceEstimate } from './variance.ts';

/** Chance of catching a worsening of the size that is said to be caught. */
export const caughtPower = 0.95;

/** How far beyond a threshold the truth has to lie for the estimate to be beyond it with 95% power. */
export function reach({ variance, df }: VarianceEstimate): number {
  return studentQuantile(caughtPower, df) * Math.sqrt(variance);
}

/**
 * The smallest true difference whose standard score exceeds `score` with 95% power: (t of the score's p value + t of
 * 0.95) standard errors. In the unit of the error, unsigned.
 */
export function smallestCaught(error: VarianceEstimate, score: number): number {
  const t = studentQuantile(1 - normalTail(score), error.df);
  return t * Math.sqrt(error.variance) + reach(error);
}
