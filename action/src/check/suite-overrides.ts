import type { Config, SuiteConfig } from '../model/config.ts';
import { Fault } from '../model/fault.ts';

/** Settings of a suite for this check only. */
export interface SuiteOverrides {
  /** Counted minutes of each cell, divided evenly among its blocks. */
  readonly minutes?: number | undefined;
  /** Blocks of each cell. */
  readonly rounds?: number | undefined;
  /** Whether the loads' staircases are used. */
  readonly ramp?: boolean | undefined;
  /** Scenarios or cells of the suite to measure; all if there are none. */
  readonly scenarios?: readonly string[] | undefined;
}

/** The configuration with the overrides in one suite. Planning reports an unknown suite. */
export function withOverrides(
  config: Config,
  suiteName: string,
  { minutes, rounds, ramp, scenarios = [] }: SuiteOverrides,
): Config {
  const suite = Object.hasOwn(config.suites, suiteName) ? config.suites[suiteName] : undefined;
  const isAsked = minutes !== undefined || rounds !== undefined || ramp !== undefined || scenarios.length > 0;
  if (suite === undefined || !isAsked) return config;
  const blocks = rounds ?? suite.rounds;
  const changed: SuiteConfig = {
    ...suite,
    ...(scenarios.length > 0 && chosen(suite, suiteName, scenarios)),
    rounds: blocks,
    counted: minutes === undefined ? suite.counted : (minutes * 60) / blocks,
    ramp: ramp ?? suite.ramp,
  };
  return { ...config, suites: { ...config.suites, [suiteName]: changed } };
}

/** The cells of the suite that somebody named, by their scenarios or in full. */
function chosen(
  { cells, costs }: SuiteConfig,
  suiteName: string,
  names: readonly string[],
): Pick<SuiteConfig, 'cells' | 'costs'> {
  const all = [...cells, ...costs];
  const isNamed = (name: string) => (cell: string) => cell === name || cell.startsWith(`${name}@`);
  const among = (list: readonly string[]) => list.filter((cell) => names.some((name) => isNamed(name)(cell)));
  const refusal = (cause: string, known: readonly string[]) =>
    new Fault({
      code: 'E_SCENARIO_UNKNOWN',
      kind: 'usage',
      place: `suite ${suiteName}`,
      cause,
      nextStep: `name some of: ${known.join(', ')}`,
    });
  const unknown = names.filter((name) => !all.some(isNamed(name)));
  if (unknown.length > 0) {
    const quoted = unknown.map((name) => `"${name}"`).join(', ');
    throw refusal(`the suite has no scenario or cell ${quoted}`, all);
  }
  // The service is warmed up with the timed cells.
  if (among(cells).length === 0) {
    throw refusal(
      `only costs are counted for ${names.join(', ')}, and the service needs a timed cell to warm up with`,
      cells,
    );
  }
  return { cells: among(cells), costs: among(costs) };
}
