import type { Config } from '../model/config.ts';
import { Fault } from '../model/fault.ts';

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
  const [scenario = '', load = ''] = cell.split('@');
  const loads = Object.hasOwn(config.scenarios, scenario) ? config.scenarios[scenario]?.loads : undefined;
  if (loads === undefined || !Object.hasOwn(loads, load)) {
    const cells = Object.entries(config.scenarios).flatMap(([name, own]) =>
      Object.keys(own.loads).map((one) => `${name}@${one}`),
    );
    throw new Fault({
      code: 'E_CELL_UNKNOWN',
      kind: 'usage',
      place,
      cause: `gate.yml has no cell "${cell}"`,
      nextStep: `name one of: ${cells.slice(0, 20).join(', ')}`,
    });
  }
  return {
    ...config,
    suites: { [suite]: { cells: [cell], costs: [], rounds: 1, ramp: false, ...times } },
  };
}
