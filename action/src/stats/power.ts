import { studentQuantile } from './student-t.ts';
import type { VarianceEstimate } from './variance.ts';

/** Chance of seeing a worsening of the size that is called visible. */
export const visiblePower = 0.8;

/**
 * The smallest true difference that a one-sided test at `alpha` tells from none with 80% power:
 * (t of 1 - alpha + t of 0.8) standard errors. In the unit of the error, unsigned.
 */
export function smallestVisible(error: VarianceEstimate, alpha: number): number {
  const { variance, df } = error;
  return (studentQuantile(1 - alpha, df) + studentQuantile(visiblePower, df)) * Math.sqrt(variance);
}
