import { type Beside, cellName, type Run } from '../model/run.ts';
import type { Verdict } from '../model/verdict.ts';
import { type ChoosingRun, chooseBase } from './base.ts';
import { confirm, standIn, suspectCells } from './confirm.ts';
import { judge } from './judge.ts';
import type { JudgeOptions } from './options.ts';
import { isBeyondComparison } from './outcome.ts';

/** What a check measured, and what it is held to. */
export interface Looks {
  readonly run: Run;
  /** The base commit measured beside head. */
  readonly beside?: Beside;
  /** Runs of the baseline, oldest first; absent if they are not to be asked. */
  readonly stored?: readonly Run[];
}

interface Judging {
  readonly options: JudgeOptions;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Wall time of the check so far. */
  readonly seconds: number;
}

/**
 * Names of the cells that a second look, beside the base commit, is to decide: those that look worse than the stored
 * runs, or all of them if the change itself made every stored run incomparable.
 */
export function worthAnotherLook(screened: Verdict): readonly string[] {
  return screened.outcome !== 'invalid' && isBeyondComparison(screened.comparison)
    ? screened.cells.map(cellName)
    : suspectCells(screened);
}

/** Whether it is known before head takes load that every cell will be worth another look. */
export function isBeyondStored(head: ChoosingRun, stored: readonly Run[]): boolean {
  return isBeyondComparison(chooseBase(head, { kind: 'stored', runs: stored }).comparison);
}

/**
 * The verdict on all that a check measured. With a base beside head that run is judged by it, and what the stored
 * baseline has to say is said with it: where the change itself made it incomparable, that the base stands in for it.
 * With a second look it is the stored baseline that asks for it, and only the cells that it asks for are decided by
 * the second look, whatever else that measured.
 */
export function judgeLooks({ run, beside, stored }: Looks, judging: Judging): Verdict {
  const screened =
    stored === undefined ? undefined : judge({ run, base: { kind: 'stored', runs: stored }, ...judging });
  if (beside === undefined) return screened ?? judge({ run, base: { kind: 'none' }, ...judging });
  if (beside.head === undefined) {
    const verdict = judge({ run, base: inTurn(beside.base), ...judging });
    if (screened === undefined) return verdict;
    return isBeyondComparison(screened.comparison)
      ? standIn(screened, verdict)
      : withStored(verdict, screened);
  }
  if (screened === undefined) throw new Error('a second look needs the first one, which is at the baseline');
  const again = new Set(worthAnotherLook(screened));
  if (again.size === 0) return screened;
  const ofThese = <T extends { readonly scenario: string; readonly load: string }>(cells: readonly T[]) =>
    cells.filter((cell) => again.has(cellName(cell)));
  const part = (one: Run): Run => ({ ...one, cells: ofThese(one.cells) });
  const second = judge({
    ...judging,
    run: part(beside.head),
    base: inTurn(part(beside.base)),
    options: { ...judging.options, cells: ofThese(judging.options.cells) },
  });
  return screened.comparison.kind === 'stored' ? confirm(screened, second) : standIn(screened, second);
}

function inTurn(base: Run) {
  return { kind: 'side-by-side', run: base, commit: base.code.commit } as const;
}

function withStored(verdict: Verdict, screened: Verdict): Verdict {
  if (verdict.comparison.kind !== 'side-by-side') return verdict;
  const regressed = screened.cells.filter(({ outcome }) => outcome === 'regression').map(cellName);
  const outcome = screened.comparison.kind === 'none' ? null : screened.outcome;
  return { ...verdict, comparison: { ...verdict.comparison, stored: { outcome, regressed } } };
}
