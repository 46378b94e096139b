import { mean } from 'simple-statistics';

/** A variance and how much is known about it. */
export interface VarianceEstimate {
  readonly variance: number;
  /** Degrees of freedom; 0 if nothing was observed. */
  readonly df: number;
}

/** Variance within groups: squared deviations from each group's own mean, over all groups together. */
export function pooledVariance(groups: readonly (readonly number[])[]): VarianceEstimate {
  let squares = 0;
  let df = 0;
  for (const group of groups) {
    if (group.length < 2) {
      continue;
    }
    const centre = mean([...group]);
    for (const value of group) {
      squares += (value - centre) ** 2;
    }
    df += group.length - 1;
  }
  return { variance: df === 0 ? 0 : squares / df, df };
}

/** One variance from estimates of it, each weighted by its degrees of freedom. */
export function poolVariances(estimates: readonly VarianceEstimate[]): VarianceEstimate {
  let squares = 0;
  let df = 0;
  for (const estimate of estimates) {
    squares += estimate.df * estimate.variance;
    df += estimate.df;
  }
  return { variance: df === 0 ? 0 : squares / df, df };
}

/**
 * Moderated variance: the observed one drawn towards what was known before, each weighted by its degrees of
 * freedom, (d0 s0^2 + d s^2) / (d0 + d), and known with d0 + d of them (Smyth 2004).
 * Three blocks alone estimate a standard deviation within a factor of 2 or so; this is what makes them usable.
 */
export function moderate(observed: VarianceEstimate, prior: VarianceEstimate): VarianceEstimate {
  const df = observed.df + prior.df;
  return { variance: (observed.df * observed.variance + prior.df * prior.variance) / df, df };
}

/** The variance of a sum of independent parts, with Satterthwaite's (1946) degrees of freedom. */
export function addVariances(parts: readonly VarianceEstimate[]): VarianceEstimate {
  let variance = 0;
  let spread = 0;
  for (const part of parts) {
    variance += part.variance;
    spread += part.variance ** 2 / part.df;
  }
  // Nothing varies, and every part says so.
  if (variance === 0) return { variance, df: parts.reduce((sum, { df }) => sum + df, 0) };
  return { variance, df: variance ** 2 / spread };
}

export function scaled({ variance, df }: VarianceEstimate, factor: number): VarianceEstimate {
  return { variance: variance * factor, df };
}
