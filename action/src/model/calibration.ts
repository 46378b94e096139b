import type { NoiseParts, Rate, SupportedTolerance } from './detection.ts';

/** Noise of one metric, with what of it is between runs of one host, and what between hosts. */
export interface SplitNoise extends NoiseParts {
  /** Absent without two hosts, one of them with two runs. */
  readonly split?: { readonly hour: number; readonly host: number };
}

/** What several runs of one commit show. */
export interface NoiseOfRuns {
  readonly runs: number;
  readonly cells: number;
  readonly parts: readonly SplitNoise[];
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
