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
  readonly tolerances: Config['tolerances'];
  readonly floors: Config['floors'];
  /** By the name under which blocks carry their values. */
  readonly signals: Readonly<Record<string, SignalConfig>>;
  /** In the order in which the verdict lists them. */
  readonly cells: readonly RequiredCell[];
}

/** The options of one suite of a configuration, which has been checked to name only cells that exist. */
export function judgeOptions(config: Config, suite: string): JudgeOptions {
  const cells = (config.suites[suite]?.cells ?? []).flatMap((name) => {
    const [scenario = '', load = ''] = name.split('@');
    const settings = config.scenarios[scenario]?.loads[load];
    return settings === undefined
      ? []
      : [{ scenario, load, vus: settings.vus, objectives: settings.objectives }];
  });
  return { tolerances: config.tolerances, floors: config.floors, signals: config.signals, cells };
}
