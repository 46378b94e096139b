import { studentQuantile } from './student-t.ts';
import type { VarianceEstimate } from './variance.ts';

/** Chance of seeing a worsening of the size that is called visible. */
export const visiblePower = 0.8;

/** What is left of an error if its blocks are so many times as many: what runs differ by stays. */
export interface SplitError extends VarianceEstimate {
  /** The part of the variance that comes from blocks. */
  readonly ofBlocks: number;
}

/**
 * How many times as many blocks a one-sided test at `alpha` needs to tell `difference` from none with 80% power;
 * undefined if it could not with any number of them. Degrees of freedom are taken to stay.
 */
export function timesAsManyBlocks(error: SplitError, alpha: number, difference: number): number | undefined {
  const { variance, ofBlocks } = error;
  const standardError = (difference / smallestVisible(error, alpha)) * Math.sqrt(variance);
  const left = standardError ** 2 - (variance - ofBlocks);
  return left > 0 ? ofBlocks / left : undefined;
}

/**
 * The smallest true difference that a one-sided test at `alpha` detects with 80% power:
 * (t of 1 - alpha + t of 0.8) standard errors. In the unit of the error, unsigned.
 */
export function smallestVisible(error: VarianceEstimate, alpha: number): number {
  const { variance, df } = error;
  return studentQuantile(1 - alpha, df) * Math.sqrt(variance) + reach(error);
}

/** How far beyond a threshold the truth has to lie for the estimate to be beyond it with 80% power. */
export function reach({ variance, df }: VarianceEstimate): number {
  return studentQuantile(visiblePower, df) * Math.sqrt(variance);
}
