import type { ExpectedNoise } from '../model/metric.ts';
import type { VarianceEstimate } from './variance.ts';

/** What is known about a metric's noise before a run says more; variances of natural logs. */
export interface NoiseModel {
  /** Between blocks of one boot. */
  readonly block: VarianceEstimate;
  /** Between the means of runs of the same code, over and above what their blocks explain. */
  readonly run: VarianceEstimate;
}

/**
 * Degrees of freedom that the priors are worth: as much as two to three runs of three blocks. Low enough that a
 * history of ten runs overrules them, high enough that three blocks which happen to agree prove nothing.
 */
const priorDf = 4;

/** Where the two sides were measured, which decides what may differ between them in addition to the code. */
export type Setting = 'same-machine' | 'other-machine';

export function noiseModel({ block, boot, host }: ExpectedNoise, setting: Setting): NoiseModel {
  const run = boot ** 2 + (setting === 'other-machine' ? host ** 2 : 0);
  return { block: { variance: block ** 2, df: priorDf }, run: { variance: run, df: priorDf } };
}
