import type { RatioMetricName } from './metric.ts';

/** Where the noise of one metric comes from, as standard deviations of logs: 0.04 is 4%. */
export interface NoiseParts {
  readonly metric: RatioMetricName;
  /** Whether the machine's speed was divided out. */
  readonly kind: 'raw' | 'divided';
  /** Between blocks of one boot. */
  readonly block: number;
  /** Between boots, in each cell on its own. */
  readonly boot: number;
  /** Between runs, in all cells alike: hours, and hosts if the runs were made on several. */
  readonly run: number;
}

/** What several runs of one commit show. */
export interface NoiseOfRuns {
  readonly runs: number;
  readonly cells: number;
  readonly parts: readonly NoiseParts[];
}
