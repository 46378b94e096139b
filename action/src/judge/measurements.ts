import { cellName, type Interleaved, type Run } from '../model/run.ts';
import type { Verdict } from '../model/verdict.ts';
import { type ChoosingRun, chooseBase } from './base.ts';
import { replaceStored, suspectCells, withConfirmation } from './confirm.ts';
import { type JudgeContext, judge } from './judge.ts';
import { isMadeIncomparable } from './outcome.ts';

/** Everything that a check measured, and what it compares that with. */
export interface Measurements {
  readonly run: Run;
  /** The base commit, measured in blocks that were interleaved with head's. */
  readonly interleaved?: Interleaved;
  /** Runs of the baseline, oldest first; absent if the check does not read the baseline. */
  readonly stored?: readonly Run[];
}

/**
 * Names of the cells to re-measure against the base commit: those that look worse than the stored runs, or all cells
 * if the change itself made every stored run incomparable.
 */
export function cellsToConfirm(screened: Verdict): readonly string[] {
  const isMeasured = screened.outcome !== 'invalid' && screened.outcome !== 'noise';
  return isMeasured && isMadeIncomparable(screened.comparison)
    ? screened.cells.map(cellName)
    : suspectCells(screened);
}

/** Why no stored run can be compared with head. */
export type Incomparability = 'no-baseline' | 'other-machine' | 'other-checkout';

/** What is clear before head takes load: that no stored run can be compared with it. Undefined if one can. */
export function incomparability(head: ChoosingRun, stored: readonly Run[]): Incomparability | undefined {
  const { comparison } = chooseBase(head, { kind: 'stored', runs: stored });
  if (comparison.kind !== 'none') return undefined;
  if (comparison.mismatches.length === 0) return 'no-baseline';
  return isMadeIncomparable(comparison) ? 'other-checkout' : 'other-machine';
}

/**
 * The verdict on all that a check measured. If head itself was interleaved with base, that comparison decides, and the
 * verdict mentions the stored baseline or replaces it where the change made it incomparable. If cells were re-measured,
 * the re-measurement decides only the cells that the stored baseline made suspect.
 */
export function judgeMeasurements(measured: Measurements, context: JudgeContext): Verdict {
  const { run, interleaved, stored } = measured;
  const screened =
    stored === undefined ? undefined : judge({ run, base: { kind: 'stored', runs: stored }, ...context });
  if (interleaved === undefined) return screened ?? judge({ run, base: { kind: 'none' }, ...context });
  const { base, head } = interleaved;
  if (head === undefined) {
    const verdict = judge({ run, base: { kind: 'side-by-side', run: base }, ...context });
    if (screened === undefined) return verdict;
    return isMadeIncomparable(screened.comparison)
      ? replaceStored(screened, verdict)
      : withStored(verdict, screened);
  }
  if (screened === undefined) throw new Error('only the stored baseline can ask for cells to be re-measured');
  const suspects = cellsToConfirm(screened);
  if (suspects.length === 0) return screened;
  if (screened.comparison.kind === 'stored') {
    const again = { suspects, base: onlyCells(base, suspects), head: onlyCells(head, suspects) };
    const verdict = judge({ run, base: { kind: 'stored', runs: stored ?? [] }, again, ...context });
    return withConfirmation(verdict, base.code.commit, suspects);
  }
  const second = judge({ ...context, run: head, base: { kind: 'side-by-side', run: base } });
  return replaceStored(screened, second);
}

function onlyCells(run: Run, names: readonly string[]): Run {
  return { ...run, cells: run.cells.filter((cell) => names.includes(cellName(cell))) };
}

/** The interleaved verdict, with what head would have come to against the stored baseline. */
function withStored(verdict: Verdict, screened: Verdict): Verdict {
  if (verdict.comparison.kind !== 'side-by-side') return verdict;
  const regressed = screened.cells.filter(({ outcome }) => outcome === 'regression').map(cellName);
  const outcome = screened.comparison.kind === 'none' ? null : screened.outcome;
  return { ...verdict, comparison: { ...verdict.comparison, stored: { outcome, regressed } } };
}
