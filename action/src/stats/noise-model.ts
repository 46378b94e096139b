import type { VarianceEstimate } from './variance.ts';

/** What is known about a metric's noise before a run is looked at; variances of natural logs. */
export interface NoiseModel {
  /** Between blocks of one boot. */
  readonly block: VarianceEstimate;
  /** Between the means of runs of the same code, over and above what their blocks explain. */
  readonly run: VarianceEstimate;
}

/**
 * Standard deviations of natural logs, which for small figures are relative ones (0.04 = 4%).
 *
 * `block`: shared/facts.md, "Noise on this kind of machine": a pair's log ratio over 10 s has 7% (TPS) and 11%
 * (p95), over 4 s 3.5-7% and 20%; a single block's is that divided by the root of 2.
 * `boot`: the luck of one life of a JVM, which its own blocks cannot show. Taken as half the block's or so until
 * A/A runs of the reference service have measured it.
 * `host`: shared/design.md: the same commit differs by 4-15% between hosted runners, 20% of which is the model
 * of CPU; the comparison keeps to one model, so the lower end is left.
 */
const sd = {
  tps: { block: 0.04, boot: 0.025, host: 0.04 },
  p95: { block: 0.1, boot: 0.05, host: 0.04 },
} as const;

/**
 * Degrees of freedom that the priors are worth: as much as two to three runs of three blocks. Low enough that a
 * history of ten runs overrules them, high enough that three blocks which happen to agree prove nothing.
 */
const priorDf = 4;

/** Where the two sides were measured: it decides what may differ between them besides the code. */
export type Setting = 'same-machine' | 'other-machine';

export function noiseModel(metric: 'tps' | 'p95', setting: Setting): NoiseModel {
  const { block, boot, host } = sd[metric];
  const run = boot ** 2 + (setting === 'other-machine' ? host ** 2 : 0);
  return { block: { variance: block ** 2, df: priorDf }, run: { variance: run, df: priorDf } };
}
