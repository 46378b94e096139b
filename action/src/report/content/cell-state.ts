import type { CellVerdict, Verdict } from '../../model/verdict.ts';
import type { Style } from '../format/paint.ts';

/** What a reader is told about a cell: its outcome, with passes told apart. */
export type CellState =
  | 'regression'
  | 'invalid'
  | 'inconclusive'
  | 'improved'
  | 'worse, within the limit'
  | 'within noise'
  | 'measured';

/** In the order in which a reader wants them. */
export const cellStates: readonly CellState[] = [
  'regression',
  'invalid',
  'inconclusive',
  'improved',
  'worse, within the limit',
  'within noise',
  'measured',
];

/** The state as the heading of a list of cells. */
export const stateNotes: Readonly<Record<CellState, string>> = {
  regression: 'regression',
  invalid: 'invalid, figures not to be trusted',
  inconclusive: 'inconclusive: could not have seen a change as large as the limit',
  improved: 'improved',
  'worse, within the limit': 'worse beyond chance, but within the limit',
  'within noise': 'within noise',
  measured: 'measured',
};

/** Within noise has no colour: nothing happened. */
export const stateStyles: ReadonlyMap<CellState, Style> = new Map([
  ['regression', 'red'],
  ['invalid', 'yellow'],
  ['inconclusive', 'yellow'],
  ['improved', 'green'],
]);

export function cellState(cell: CellVerdict): CellState {
  if (cell.outcome !== 'pass') return cell.outcome;
  if (cell.metrics.length === 0) return 'measured';
  if (cell.metrics.some(({ improved }) => improved)) return 'improved';
  return cell.metrics.some(({ provedWorse }) => provedWorse) ? 'worse, within the limit' : 'within noise';
}

export function cellsIn(verdict: Verdict, state: CellState): readonly CellVerdict[] {
  return verdict.cells.filter((cell) => cellState(cell) === state);
}

/** `1 cell`, `6 cells`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
