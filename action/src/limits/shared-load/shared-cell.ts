import type { PlannedCell } from '../../measure/index.ts';
import type { Config } from '../../model/config.ts';
import { Fault } from '../../model/fault.ts';
import { withOneCell } from '../one-cell.ts';

export const sharedSuite = 'shared';

export interface SharedTimes {
  /** Seconds at the start that are not counted. */
  readonly guard: number;
  readonly counted: number;
}

/** One block of the cell, for generators on other machines. */
export function sharedConfig(config: Config, cell: string, times: SharedTimes): Config {
  return withOneCell(config, cell, { suite: sharedSuite, place: 'gate generator kubernetes', ...times });
}

/**
 * Throws a Fault if a generator would have no virtual user, because it would then send nothing. Throws one too for a load
 * that ends with its last pass, because nobody outside of the cluster knows when that is.
 */
export function requireShares(
  { vus, arrival }: Pick<PlannedCell, 'vus' | 'arrival'>,
  generators: number,
): void {
  if (arrival?.once !== undefined) {
    throw new Fault({
      code: 'E_GENERATORS_USERS',
      kind: 'usage',
      place: 'gate generator kubernetes',
      cause: 'the load has `users`, so it ends with the last pass, and the counted time is not known before',
      nextStep: 'use a load with `vus` or `arrival`, or run this one with `generators` on one machine',
    });
  }
  if (generators <= vus) return;
  throw new Fault({
    code: 'E_GENERATORS_MANY',
    kind: 'usage',
    place: `--generators ${generators}`,
    cause: `the load has ${vus === 1 ? 'one virtual user' : `${vus} virtual users`}, so some generators would have none`,
    nextStep: `use at most ${vus}, or a load with more users`,
  });
}
