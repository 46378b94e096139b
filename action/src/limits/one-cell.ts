import type { Config, LoadConfig } from '../model/config.ts';
import { Fault } from '../model/fault.ts';
import { cellName } from '../model/run.ts';

/** The load of a cell, which is written `scenario@load`; undefined if there is none. */
export function loadOfCell({ scenarios }: Config, cell: string): LoadConfig | undefined {
  const [scenario = '', load = ''] = cell.split('@');
  const loads = Object.hasOwn(scenarios, scenario) ? scenarios[scenario]?.loads : undefined;
  return loads !== undefined && Object.hasOwn(loads, load) ? loads[load] : undefined;
}

/** Every cell that a suite could have. */
export function cellNames({ scenarios }: Config): readonly string[] {
  return Object.entries(scenarios).flatMap(([scenario, { loads }]) =>
    Object.keys(loads).map((load) => cellName({ scenario, load })),
  );
}

/** The configuration with a suite of that name and cell alone. `place` is what asked for the cell. */
export function withOneCell(
  config: Config,
  cell: string,
  {
    suite,
    place,
    ...times
  }: { readonly suite: string; readonly place: string; readonly guard: number; readonly counted: number },
): Config {
  if (loadOfCell(config, cell) === undefined) {
    throw new Fault({
      code: 'E_CELL_UNKNOWN',
      kind: 'usage',
      place,
      cause: `gate.yml has no cell "${cell}"`,
      nextStep: `name one of: ${cellNames(config).slice(0, 20).join(', ')}`,
    });
  }
  return {
    ...config,
    suites: { [suite]: { cells: [cell], costs: [], rounds: 1, ramp: false, ...times } },
  };
}
