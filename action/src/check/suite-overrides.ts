import { roundsForCosts } from '../measure/index.ts';
import type { Config } from '../model/config.ts';

/** Settings of a suite for this check only. */
export interface SuiteOverrides {
  /** Counted minutes of the whole suite, divided evenly among its blocks. */
  readonly minutes?: number | undefined;
  /** Whether the loads' staircases are used. */
  readonly ramp?: boolean | undefined;
}

/** The configuration with the overrides in one suite. Planning reports an unknown suite. */
export function withOverrides(config: Config, suiteName: string, { minutes, ramp }: SuiteOverrides): Config {
  const suite = Object.hasOwn(config.suites, suiteName) ? config.suites[suiteName] : undefined;
  if (suite === undefined || (minutes === undefined && ramp === undefined)) return config;
  const blocks = suite.cells.length * suite.rounds + suite.costs.length * roundsForCosts;
  const counted = minutes === undefined ? suite.counted : (minutes * 60) / blocks;
  return {
    ...config,
    suites: { ...config.suites, [suiteName]: { ...suite, counted, ramp: ramp ?? suite.ramp } },
  };
}
