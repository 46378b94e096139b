import { byExcess } from '../../model/excess.ts';
import { cellName } from '../../model/run.ts';
import { type CellVerdict, type Outcome, sparedCells, type Verdict } from '../../model/verdict.ts';
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

function withoutSpared(verdict: Verdict, cells: readonly CellVerdict[]): readonly CellVerdict[] {
  const spared = sparedCells(verdict);
  return cells.filter((cell) => !spared.includes(cellName(cell)));
}

/** The cells with this outcome, the worst first, without those that were not re-measured, unless only they have it. */
export function worstIn(verdict: Verdict, outcome: Outcome): readonly CellVerdict[] {
  const cells = verdict.cells.filter((cell) => cell.outcome === outcome).toSorted(byExcess);
  const measured = withoutSpared(verdict, cells);
  return measured.length === 0 ? cells : measured;
}

/** True if there is a second measurement of what is suspect, of any of these cells if there are some. */
export function isRemeasured(verdict: Verdict, cells: readonly CellVerdict[]): boolean {
  const { comparison } = verdict;
  if (comparison.kind === 'none' || comparison.confirmed === undefined) return false;
  return cells.length === 0 || withoutSpared(verdict, cells).length > 0;
}
