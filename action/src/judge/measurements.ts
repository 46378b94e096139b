import type { CellProfile } from '../model/profile.ts';
import { cellName, type Interleaved, type Run } from '../model/run.ts';
import type { Verdict } from '../model/verdict.ts';
import { type ChoosingRun, chooseBase } from './comparable/base.ts';
import { replaceStored, suspectCells, withConfirmation } from './confirm.ts';
import { type JudgeContext, judge, judgeRun } from './judge.ts';
import { isMadeIncomparable } from './outcome.ts';
import { codeChanges } from './profiles/code-changes.ts';
import type { Again } from './second-measurement.ts';
import { withWaivers } from './waivers.ts';

/** Everything that a check measured, and what it compares that with. */
export interface Measurements {
  readonly run: Run;
  /** The base commit, if its blocks were interleaved with those of `run`. */
  readonly base?: Run;
  /** The second measurement, of the cells that the first one asked for. */
  readonly again?: Interleaved;
  /** Profiles of cells that turned out worse, of both sides; absent if none was taken. */
  readonly profiles?: readonly CellProfile[];
  /** Runs of the baseline, oldest first; absent if the check does not read the baseline. */
  readonly stored?: readonly Run[];
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
 * The verdict on all that a check measured. If the base commit was measured with head, that comparison decides, and the
 * verdict mentions the stored baseline or replaces it where the change made it incomparable. A second measurement decides
 * only the cells that were suspect.
 */
export function judgeMeasurements(measured: Measurements, context: JudgeContext): Verdict {
  const verdict = judgeFirst(measured, context)(measured.again);
  const { profiles } = measured;
  return profiles === undefined ? verdict : { ...verdict, codeChanges: codeChanges(profiles) };
}

/** Verdict of a first measurement alone, or with as much of the second one as there is. */
export type FirstJudged = (again?: Interleaved) => Verdict;

/** Judges a first measurement once, however often its second one is asked for a verdict. Profiles are left out. */
export function judgeFirst(measured: Measurements, context: JudgeContext): FirstJudged {
  const waived = (verdict: Verdict) => withWaivers(verdict, context.options.waivers ?? []);
  const judged = judgeUnwaived(measured, context, (first) => suspectCells(waived(first)));
  return (again) => waived(judged(again));
}

/** @param suspectsOf the cells that a first measurement asks to measure again */
function judgeUnwaived(
  { run, base, stored }: Measurements,
  context: JudgeContext,
  suspectsOf: (first: Verdict) => readonly string[],
): FirstJudged {
  const againstStored =
    stored === undefined ? undefined : judgeRun({ run, base: { kind: 'stored', runs: stored }, ...context });
  const screened = againstStored?.();
  const storedDecides = context.options.storedStands === true && screened?.outcome === 'regression';
  if (base !== undefined && !storedDecides) {
    const beside = judgeRun({ run, base: { kind: 'side-by-side', run: base }, ...context });
    const judged = judgedTwice(beside, beside(), suspectsOf);
    return (again) => {
      const verdict = judged(again);
      if (screened === undefined) return verdict;
      return isMadeIncomparable(screened.comparison)
        ? replaceStored(screened, verdict)
        : withStored(verdict, screened);
    };
  }
  if (againstStored === undefined || screened === undefined) {
    const alone = judge({ run, base: { kind: 'none' }, ...context });
    return () => alone;
  }
  const judged = judgedTwice(againstStored, screened, suspectsOf);
  return (again) => {
    // Whoever judges a report reads the baseline anew, and it may have moved on.
    if (again !== undefined && isMadeIncomparable(screened.comparison)) {
      const second = judge({ ...context, run: again.head, base: { kind: 'side-by-side', run: again.base } });
      return replaceStored(screened, second);
    }
    const verdict = judged(again);
    return storedDecides && !confirms(verdict, screened) ? unconfirmed(screened) : verdict;
  };
}

function unconfirmed(verdict: Verdict): Verdict {
  const { comparison } = verdict;
  return comparison.kind === 'stored'
    ? { ...verdict, comparison: { ...comparison, unconfirmed: true } }
    : verdict;
}

function regressedCells({ cells }: Verdict): readonly string[] {
  return cells.filter(({ outcome }) => outcome === 'regression').map(cellName);
}

/** True if measuring again cleared nothing that the stored runs prove. */
function confirms(verdict: Verdict, screened: Verdict): boolean {
  const regressed = regressedCells(verdict);
  return (
    verdict.outcome === 'regression' && regressedCells(screened).every((name) => regressed.includes(name))
  );
}

/**
 * The first verdict, with what measuring its suspects again shows. One that was not measured again keeps its first outcome if
 * another one fails the check, and is undecided otherwise.
 */
function judgedTwice(
  judged: (again?: Again) => Verdict,
  first: Verdict,
  suspectsOf: (first: Verdict) => readonly string[],
): FirstJudged {
  const suspects = suspectsOf(first);
  return (again) => {
    if (again === undefined || suspects.length === 0) return first;
    const measured = { base: onlyCells(again.base, suspects), head: onlyCells(again.head, suspects) };
    const begun = measured.head.cells.map(cellName);
    // Without a cell, it ended before its load.
    const some = { ...measured, suspects: begun.length === 0 ? suspects : begun };
    const left = suspects.filter((name) => !some.suspects.includes(name));
    if (left.length > 0) {
      const verdict = judged(some);
      const regressed = regressedCells(verdict);
      if (begun.some((name) => regressed.includes(name))) return withConfirmation(verdict, some, left);
    }
    return withConfirmation(judged({ ...measured, suspects }), some);
  };
}

function onlyCells(run: Run, names: readonly string[]): Run {
  return { ...run, cells: run.cells.filter((cell) => names.includes(cellName(cell))) };
}

/** The interleaved verdict, with what head would have come to against the stored baseline. */
function withStored(verdict: Verdict, screened: Verdict): Verdict {
  if (verdict.comparison.kind !== 'side-by-side') return verdict;
  const outcome = screened.comparison.kind === 'none' ? null : screened.outcome;
  const stored = { outcome, regressed: [...regressedCells(screened)] };
  return { ...verdict, comparison: { ...verdict.comparison, stored } };
}
