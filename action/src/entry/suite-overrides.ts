import type { Config } from '../model/config.ts';

export interface SuiteOverrides {
  /** Counted minutes of the whole suite, divided evenly among its blocks. */
  readonly minutes?: number;
  /** Whether the loads' staircases are used. */
  readonly ramp?: boolean;
}

/** The configuration with one suite as somebody asked for it this once. An unknown suite is left to the plan. */
export function withOverrides(config: Config, suiteName: string, { minutes, ramp }: SuiteOverrides): Config {
  const suite = Object.hasOwn(config.suites, suiteName) ? config.suites[suiteName] : undefined;
  if (suite === undefined || (minutes === undefined && ramp === undefined)) return config;
  const blocks = suite.cells.length * suite.rounds;
  return {
    ...config,
    suites: {
      ...config.suites,
      [suiteName]: {
        ...suite,
        ...(minutes === undefined ? {} : { counted: (minutes * 60) / blocks }),
        ...(ramp === undefined ? {} : { ramp }),
      },
    },
  };
}
