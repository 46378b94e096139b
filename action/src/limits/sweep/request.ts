import type { Config } from '../../model/config.ts';
import { Fault } from '../../model/fault.ts';
import type { Variant } from '../../model/sweep.ts';
import { gridOf, type SweptVariable } from '../../model/swept-values.ts';
import { cellNames } from '../one-cell.ts';

/** So that two values get seven passes and ten get two, which leaves enough degrees of freedom for an interval. */
const leastFreedom = 6;
const mostVariants = 100;

export interface SweepRequest {
  /** A sweep of gate.yml, or a cell. */
  readonly named: string | undefined;
  /** The cell, if it is not named already. */
  readonly scenario: string | undefined;
  readonly variables: readonly SweptVariable[];
}

/** The cell and the values that are asked for. Variables of the request replace those of the same name in gate.yml. */
export function requestedSweep(
  config: Config,
  { named, scenario, variables }: SweepRequest,
): { readonly cell: string; readonly variants: readonly Variant[] } {
  const namedCell = named?.includes('@') ? named : undefined;
  const preset = named === undefined || namedCell !== undefined ? undefined : presetOf(config, named);
  const cell = scenario ?? namedCell ?? preset?.cell;
  if (cell === undefined || (namedCell !== undefined && cell !== namedCell)) {
    throw new Fault({
      code: 'E_SWEEP_CELL',
      kind: 'usage',
      place: 'gate sweep',
      cause:
        cell === undefined ? 'no load is named' : `two loads are named: ${String(namedCell)} and ${cell}`,
      nextStep: `name one, such as \`gate sweep ${cellNames(config)[0]} --set NAME=1..10\`${sweepsText(config)}`,
    });
  }
  const values = new Map(Object.entries(preset?.set ?? {}));
  for (const { name, values: own } of variables) values.set(name, own);
  const variants = gridOf(
    [...values].map(([name, own]) => ({ name, values: own })),
    preset?.variants,
  );
  if (variants.length < 2 || variants.length > mostVariants) {
    throw new Fault({
      code: 'E_SWEEP_GRID',
      kind: 'usage',
      place: 'gate sweep',
      cause:
        variants.length < 2
          ? 'there is nothing to compare: no name has more than one value'
          : `the values have ${variants.length} combinations, and at most ${mostVariants} can be compared`,
      nextStep:
        variants.length < 2
          ? `name values with --set, such as \`--set DB_POOL_SIZE=1..10\`${sweepsText(config)}`
          : 'use fewer values, or two sweeps',
    });
  }
  return { cell, variants };
}

/** Boots of each value, unless somebody asks for another number. */
export function usualPasses(values: number): number {
  return Math.max(2, 1 + Math.ceil(leastFreedom / (values - 1)));
}

function presetOf({ sweeps }: Config, name: string): Config['sweeps'][string] {
  const preset = Object.hasOwn(sweeps, name) ? sweeps[name] : undefined;
  if (preset !== undefined) return preset;
  throw new Fault({
    code: 'E_SWEEP_UNKNOWN',
    kind: 'usage',
    place: 'gate sweep',
    cause: `gate.yml has no sweep "${name}", and it is no cell`,
    nextStep: `name a cell as scenario@load${sweepsText({ sweeps })}`,
  });
}

function sweepsText({ sweeps }: Pick<Config, 'sweeps'>): string {
  const names = Object.keys(sweeps).slice(0, 20);
  return names.length === 0 ? '' : `, or a sweep of gate.yml: ${names.join(', ')}`;
}
