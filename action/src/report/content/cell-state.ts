import type { CellVerdict, Outcome, Verdict } from '../../model/verdict.ts';

/** The outcome of a cell, with four kinds of pass. */
export type CellState =
  | Exclude<Outcome, 'pass'>
  | 'improved'
  | 'worse-within-limit'
  | 'unchanged'
  /** Compared with nothing. */
  | 'measured';

export function cellState(cell: CellVerdict): CellState {
  if (cell.outcome !== 'pass') return cell.outcome;
  if (cell.metrics.length === 0) return 'measured';
  if (cell.metrics.some(({ improved }) => improved)) return 'improved';
  return cell.metrics.some(({ provedWorse }) => provedWorse) ? 'worse-within-limit' : 'unchanged';
}

export function cellsIn(verdict: Verdict, state: CellState): readonly CellVerdict[] {
  return verdict.cells.filter((cell) => cellState(cell) === state);
}
