import { byExcess, costWorsening } from '../model/excess.ts';
import { cellName, type InvalidReason, type Run } from '../model/run.ts';
import type { MetricVerdict, Outcome, Verdict } from '../model/verdict.ts';
import { cellInvalidity, inBase } from './comparable/validity.ts';
import { failsByCost, isSuspectByCost } from './costs.ts';
import { provedAloneScore } from './decision.ts';
import { mostSerious } from './outcome.ts';
import type { Again } from './second-measurement.ts';
import { isUnanswered } from './unanswered.ts';

/**
 * Names of the cells to measure again, base and head interleaved: those that look worse, alone or together with others,
 * and those that head did not answer. None if nothing was compared, if the run is invalid, or if a counted cost fails the
 * check anyway. What one measurement proves may be the luck of its boots, or the hour's doing.
 */
export function suspectCells({ comparison, invalid, cells, groups }: Verdict): readonly string[] {
  if (comparison.kind === 'none' || invalid.length > 0) return [];
  if (cells.some(failsByCost)) return [];
  const isSuspect = ({ metrics }: { readonly metrics: readonly MetricVerdict[] }) =>
    metrics.some(({ suspect }) => suspect);
  const names = new Set([
    ...cells.filter((cell) => isSuspect(cell) || isSuspectByCost(cell) || isUnanswered(cell)).map(cellName),
    ...groups.filter(isSuspect).flatMap((group) => group.cells),
  ]);
  return cells.map(cellName).filter((name) => names.has(name));
}

/** Below this score of both measurements together, more rounds would not prove anything. */
const clearedScore = 1.5;

/**
 * True if more rounds would hardly change the outcome of the check. Either all that looked worse is as good as cleared, or
 * something is proved by more than it takes in the end: asking several times gives chance several tries. A service that
 * answered nothing may need all rounds to get there again.
 */
export function isSettled({ cells, groups }: Verdict): boolean {
  const costs = cells.flatMap(({ signals }) =>
    signals.flatMap(({ evidence, failed }) => (evidence === undefined ? [] : [{ ...evidence, failed }])),
  );
  const metrics = [...cells, ...groups].flatMap((row) =>
    row.metrics.map(({ suspect, score, outcome }) => ({ suspect, score, failed: outcome === 'regression' })),
  );
  const suspects = [...costs, ...metrics].filter(({ suspect }) => suspect);
  return (
    suspects.some(({ failed, score }) => failed && score > provedAloneScore) ||
    (suspects.every(({ score }) => score < clearedScore) && !cells.some(isUnanswered))
  );
}

/** Times its limit by which a counted cost has to grow. Counts of unchanged code differ by less than one limit. */
const beyondDoubt = 5;

/** True if a counted cost fails the check by so much that more rounds would not clear it. */
export function isBeyondDoubt({ outcome, cells }: Verdict): boolean {
  if (outcome !== 'regression') return false;
  return cells.some(
    (cell) =>
      cell.outcome === 'regression' &&
      cell.signals.some((cost) => cost.failed && costWorsening(cost) > beyondDoubt * cost.limit),
  );
}

/**
 * Names of the cells that regressed or stayed undecided, alone or together with others, the worst first. None if head no
 * longer answers: a profile would show what a broken service does.
 */
export function worseCells({ cells, groups }: Verdict): readonly string[] {
  if (cells.some(({ unanswered }) => unanswered !== undefined)) return [];
  const isWorse = ({ outcome }: { readonly outcome: Outcome }) =>
    outcome === 'regression' || outcome === 'undecided';
  const names = new Set([
    ...cells.filter(isWorse).map(cellName),
    ...groups.filter(isWorse).flatMap((group) => group.cells),
  ]);
  return cells
    .toSorted(byExcess)
    .map(cellName)
    .filter((name) => names.has(name));
}

/** Reasons not to trust a run, without those of cells that decide all the same. */
function invalidityOf({ invalid, cells }: Run, decided: ReadonlySet<string>): InvalidReason[] {
  return [...invalid, ...cells.filter((cell) => !decided.has(cellName(cell))).flatMap(cellInvalidity)];
}

/** The verdict of both measurements, with a note of what the second one came to. */
export function withConfirmation(verdict: Verdict, { base, head, suspects }: Again): Verdict {
  if (verdict.comparison.kind === 'none') return verdict;
  const cells = verdict.cells
    .map((cell) => ({ name: cellName(cell), outcome: cell.outcome }))
    .filter(({ name }) => suspects.includes(name))
    .map(({ name, outcome }) => {
      const shared = verdict.groups
        .filter((group) => group.cells.includes(name))
        .map((group) => group.outcome);
      return { name, outcome: mostSerious([outcome, ...shared]) };
    });
  const decided = new Set(verdict.cells.filter(({ unanswered }) => unanswered !== undefined).map(cellName));
  const spoiled = [...invalidityOf(head, decided), ...inBase(invalidityOf(base, decided))];
  const confirmed = {
    baseCommit: base.code.commit,
    cells,
    ...(spoiled.length === 0 ? {} : { spoiled }),
  };
  return { ...verdict, comparison: { ...verdict.comparison, confirmed } };
}

/**
 * The interleaved verdict, which replaces a comparison with stored runs that are all incomparable. An invalid one says
 * why, and decides nothing.
 */
export function replaceStored(screened: Verdict, interleaved: Verdict): Verdict {
  const { comparison, runId, code } = screened;
  if (comparison.kind !== 'none' || interleaved.comparison.kind !== 'side-by-side') return screened;
  const { mismatches } = comparison;
  return { ...interleaved, runId, code, comparison: { ...interleaved.comparison, mismatches } };
}
