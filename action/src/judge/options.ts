import type { Config, LoadConfig, SignalConfig } from '../model/config.ts';
import type { Waiver } from '../model/waiver.ts';

/** A cell of the suite; a run without it is invalid. */
export interface RequiredCell {
  readonly scenario: string;
  readonly load: string;
  readonly vus: number;
  readonly objectives: LoadConfig['objectives'];
  /** True if a missed threshold of the script is a regression. */
  readonly judgesThresholds?: boolean;
  /** True if the cell is judged only by what can be counted: its costs and its error rate. */
  readonly costsAlone?: boolean;
}

/** The part of the configuration that a verdict depends on. */
export interface JudgeOptions {
  /** A metric without a tolerance is not judged. */
  readonly tolerances: Readonly<Partial<Config['tolerances']>>;
  /** In milliseconds; 0 where absent. */
  readonly floors: Readonly<Partial<Config['floors']>>;
  /** By the name that the blocks use for their values. */
  readonly signals: Readonly<Record<string, SignalConfig>>;
  /** In the verdict's order. */
  readonly cells: readonly RequiredCell[];
  /** What somebody accepted; nothing if absent. */
  readonly waivers?: readonly Waiver[];
  /**
   * True if measurements next to the base commit may clear only suspicions, and nothing that the stored runs prove. The
   * trusted side judges so, because the job of the pull request made those measurements.
   */
  readonly storedStands?: boolean;
  /** True to choose stored runs at whatever speed the machine had, which shows what the choice by speed adds. */
  readonly anySpeed?: boolean;
  /** True to mark no endpoints, where only the outcome is asked for. */
  readonly skipsEndpoints?: boolean;
}
