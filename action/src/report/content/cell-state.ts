import type { CellVerdict, Outcome, Verdict } from '../../model/verdict.ts';
import { isWorseWithinLimit } from './metric.ts';

/** What a comparison without a regression showed. */
export type Movement = 'improved' | 'worse-within-limit' | 'unchanged';

/** The outcome of a cell, with four kinds of pass. */
export type CellState =
  | Exclude<Outcome, 'pass'>
  | Movement
  /** Compared with nothing. */
  | 'measured';

export function movement({ metrics }: CellVerdict): Movement {
  if (metrics.some(({ improved }) => improved)) return 'improved';
  return metrics.some(isWorseWithinLimit) ? 'worse-within-limit' : 'unchanged';
}

export function cellState(cell: CellVerdict): CellState {
  if (cell.outcome !== 'pass') return cell.outcome;
  return cell.metrics.length === 0 ? 'measured' : movement(cell);
}

export function cellsIn(verdict: Verdict, state: CellState): readonly CellVerdict[] {
  return verdict.cells.filter((cell) => cellState(cell) === state);
}
