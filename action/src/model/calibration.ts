import type { Rate } from './detection.ts';
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
  /** What of it is between runs of one host, and what between hosts; absent without two hosts, one of them with two runs. */
  readonly split?: { readonly hour: number; readonly host: number };
}

/** What several runs of one commit show. */
export interface NoiseOfRuns {
  readonly runs: number;
  readonly cells: number;
  readonly parts: readonly NoiseParts[];
}

/** What checks of unchanged runs say, each against the runs before it. */
export interface UnchangedChecks {
  readonly checks: number;
  readonly red: Rate;
  /** Looked worse at first, so that it was measured again. */
  readonly suspect: Rate;
  /** Invalid, noise or undecided. */
  readonly couldNot: Rate;
  readonly tolerances: readonly SupportedTolerance[];
}

/** The smallest tolerance of a metric with which all cells pass at once in 95% of the checks that could be judged. */
export interface SupportedTolerance {
  readonly metric: RatioMetricName;
  /** A share; absent if it takes more than 100%. */
  readonly tolerance?: number | undefined;
  /** Those that could be judged. */
  readonly checks: number;
  /** True from 20 checks on. */
  readonly isSure: boolean;
}
