import type { VarianceEstimate } from './variance.ts';

/** What is known about a metric's noise before a run is looked at; variances of natural logs. */
export interface NoiseModel {
  /** Between blocks of one boot. */
  readonly block: VarianceEstimate;
  /** Between the means of runs of the same code, over and above what their blocks explain. */
  readonly run: VarianceEstimate;
}

/**
 * Standard deviations of natural logs, which for small figures are relative ones (0.04 = 4%). Their sources stand
 * in .github/adr/0003.
 *
 * `block`: the log ratio of a pair of 10 s blocks has 7% (TPS) and 11% (p95), of 4 s blocks 3.5-7% and 20%; a
 * single block's is that divided by the root of 2, here between the two lengths.
 * `boot`: the luck of one life of a JVM, which its own blocks cannot show. Taken as about half the block's until
 * A/A runs of the reference service have measured it.
 * `host`: the same commit differs by 4-15% between hosted runners, much of it the model of CPU; the comparison
 * keeps to one model, which leaves the lower end.
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
