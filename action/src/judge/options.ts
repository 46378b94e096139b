import type { Config, LoadConfig, SignalConfig } from '../model/config.ts';

/** A cell that the suite asks for; a run without it is invalid. */
export interface RequiredCell {
  readonly scenario: string;
  readonly load: string;
  readonly vus: number;
  readonly objectives: LoadConfig['objectives'];
}

/** What the configuration has to say about a verdict. */
export interface JudgeOptions {
  /** A metric without a tolerance is not judged. */
  readonly tolerances: Readonly<Partial<Config['tolerances']>>;
  /** In milliseconds; 0 where absent. */
  readonly floors: Readonly<Partial<Config['floors']>>;
  /** By the name under which blocks carry their values. */
  readonly signals: Readonly<Record<string, SignalConfig>>;
  /** In the order in which the verdict lists them. */
  readonly cells: readonly RequiredCell[];
}
