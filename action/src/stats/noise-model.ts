import type { ExpectedNoise } from '../model/metric.ts';
import type { VarianceEstimate } from './variance.ts';

/** Where the variance of a metric comes from, as variances of natural logs. */
export interface Noise {
  /** Between blocks of one boot. */
  readonly block: VarianceEstimate;
  /** Between boots, in each cell on its own, beyond what their blocks explain. */
  readonly boot: VarianceEstimate;
  /** Between runs, in all cells alike. */
  readonly run: VarianceEstimate;
}

/**
 * Degrees of freedom that the expectation is worth: three stored runs of six cells overrule it, and three blocks
 * which happen to agree prove nothing.
 */
const expectedDf = 4;

/** Where the two sides were measured, which decides what may differ between them in addition to the code. */
export type Setting = 'same-machine' | 'other-machine';

/** `host`: standard deviation that other hosts of one kind add. */
export function expectedNoise({ block, boot, run }: ExpectedNoise, setting: Setting, host: number): Noise {
  const known = (variance: number): VarianceEstimate => ({ variance, df: expectedDf });
  return {
    block: known(block ** 2),
    boot: known(boot ** 2),
    run: known(run ** 2 + (setting === 'other-machine' ? host ** 2 : 0)),
  };
}
