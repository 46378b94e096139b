import { byExcess, costWorsening } from '../model/excess.ts';
import { cellName, type InvalidReason, type Run } from '../model/run.ts';
import type { CellVerdict, GroupVerdict, MetricVerdict, Outcome, Verdict } from '../model/verdict.ts';
import { cellInvalidity, inBase } from './comparable/validity.ts';
import { failsByCost, isSuspectByCost } from './costs.ts';
import { provedAloneScore, provedScore, suspectScore } from './decision.ts';
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

/**
 * The suspect cells in the order in which they are measured again, those of a part in the same rounds. The cell that looks
 * worse most clearly comes first and alone. If it is confirmed, the others are not measured.
 */
export function partsToConfirm(first: Verdict): readonly (readonly string[])[] {
  const names = suspectCells(first);
  const clearest = clearestSuspect(first);
  if (clearest === undefined || names.length < 2 || first.cells.some(isUnanswered)) return [names];
  return [[clearest], names.filter((name) => name !== clearest)];
}

/** The cell with the highest score of a suspect row of its own, or the worst of those; undefined if only groups are suspect. */
function clearestSuspect({ cells }: Verdict): string | undefined {
  const scored = cells.toSorted(byExcess).flatMap((cell) =>
    findingsOf(cell)
      .filter(({ suspect }) => suspect)
      .map(({ score }) => ({ name: cellName(cell), score })),
  );
  return scored.toSorted((one, other) => other.score - one.score)[0]?.name;
}

/** True if more rounds may give the cell a verdict, or let a count decide. */
function mayStillTell({ invalid, signals, uncounted }: CellVerdict): boolean {
  return (
    invalid.length > 0 ||
    signals.some(({ gate, moved }) => gate === 'fail' && moved) ||
    uncounted.some(({ missing }) => missing === 'head' || missing === 'rounds')
  );
}

/**
 * True if something looks worse by as much as both measurements together have to show. More rounds would say by how much,
 * but only base next to head can say whether it is the change. A cell that has no verdict yet may get one in more rounds, and a
 * third round may prove that a count grew.
 */
export function isClearlySuspect(verdict: Verdict): boolean {
  const { cells, groups } = verdict;
  if (suspectCells(verdict).length === 0 || cells.some(mayStillTell)) return false;
  return [...cells, ...groups]
    .flatMap(findingsOf)
    .some(({ suspect, score }) => suspect && score > provedScore);
}

/** Below this score of both measurements together, more rounds would not prove anything. */
const clearedScore = 1.5;

interface Finding {
  readonly suspect: boolean;
  readonly score: number;
  readonly scoreAgain?: number | undefined;
  readonly failed: boolean;
}

/** What the measurements say about each time and each measured cost of a row. */
function findingsOf(row: CellVerdict | GroupVerdict): readonly Finding[] {
  const costs = 'signals' in row ? row.signals : [];
  return [
    ...costs.flatMap(({ evidence, failed }) => (evidence === undefined ? [] : [{ ...evidence, failed }])),
    ...row.metrics.map(({ suspect, score, scoreAgain, outcome }) => ({
      suspect,
      score,
      scoreAgain,
      failed: outcome === 'regression',
    })),
  ];
}

/** Names of the cells that were measured again so far; undefined without a second measurement. */
function namesAgain({ comparison }: Verdict): ReadonlySet<string> | undefined {
  if (comparison.kind === 'none' || comparison.confirmed === undefined) return undefined;
  return new Set(comparison.confirmed.cells.map(({ name }) => name));
}

/** What looked worse and was measured again so far. */
function suspectsAgain(verdict: Verdict): readonly Finding[] {
  const names = namesAgain(verdict) ?? new Set();
  const rows = [
    ...verdict.cells.filter((cell) => names.has(cellName(cell))),
    ...verdict.groups.filter((group) => group.cells.every((name) => names.has(name))),
  ];
  return rows.flatMap(findingsOf).filter(({ suspect }) => suspect);
}

/**
 * True if something that was measured again is proved by more than it takes in the end: asking several times gives chance
 * several tries. Neither more rounds nor what else looks worse are needed then. A cell that is measured again alone has no
 * others that show what the machine did, so the second measurement has to make it suspect on its own too.
 */
export function isConfirmed(verdict: Verdict): boolean {
  const isAlone = namesAgain(verdict)?.size === 1;
  return suspectsAgain(verdict).some(
    ({ failed, score, scoreAgain = 0 }) =>
      failed && score > provedAloneScore && (!isAlone || scoreAgain > suspectScore),
  );
}

/**
 * True if more rounds of what is measured again would hardly change what they show: it is confirmed, or all of it that looked
 * worse is as good as cleared. A service that answered nothing may need all rounds to get there again.
 */
export function isSettled(verdict: Verdict): boolean {
  const isCleared = suspectsAgain(verdict).every(({ score }) => score < clearedScore);
  return isConfirmed(verdict) || (isCleared && !verdict.cells.some(isUnanswered));
}

/** Times its limit by which a counted cost has to grow. Counts of unchanged code differ by less than one limit. */
const beyondDoubt = 5;

/**
 * True if a counted cost fails the check by so much that more rounds would not clear it. Where the limit is 0, any growth would
 * look like that, so it proves nothing.
 */
export function isBeyondDoubt({ outcome, cells }: Verdict): boolean {
  if (outcome !== 'regression') return false;
  return cells.some(
    (cell) =>
      cell.outcome === 'regression' &&
      cell.signals.some(
        (cost) => cost.failed && cost.limit > 0 && costWorsening(cost) > beyondDoubt * cost.limit,
      ),
  );
}

/**
 * Names of the cells that regressed or stayed undecided, alone or together with others, the worst first. If some were measured
 * again, only of those. None if head no longer answers: a profile would show what a broken service does.
 */
export function worseCells(verdict: Verdict): readonly string[] {
  const { cells, groups } = verdict;
  const again = namesAgain(verdict);
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
    .filter((name) => names.has(name) && (again?.has(name) ?? true));
}

/** Reasons not to trust a run, without those of cells that decide all the same. */
function invalidityOf({ invalid, cells }: Run, decided: ReadonlySet<string>): InvalidReason[] {
  return [...invalid, ...cells.filter((cell) => !decided.has(cellName(cell))).flatMap(cellInvalidity)];
}

/**
 * The verdict of both measurements, with a note of what the second one came to.
 * @param spared suspects that it did not need
 */
export function withConfirmation(
  verdict: Verdict,
  { base, head, suspects }: Again,
  spared: readonly string[] = [],
): Verdict {
  if (verdict.comparison.kind === 'none') return verdict;
  const cells = verdict.cells
    .map((cell) => ({ name: cellName(cell), outcome: cell.outcome }))
    .filter(({ name }) => suspects.includes(name))
    .map(({ name, outcome }) => {
      const shared = verdict.groups
        .filter((group) => group.cells.includes(name) && group.cells.every((one) => suspects.includes(one)))
        .map((group) => group.outcome);
      return { name, outcome: mostSerious([outcome, ...shared]) };
    });
  const decided = new Set(verdict.cells.filter(({ unanswered }) => unanswered !== undefined).map(cellName));
  const spoiled = [...invalidityOf(head, decided), ...inBase(invalidityOf(base, decided))];
  const confirmed = {
    baseCommit: base.code.commit,
    cells,
    ...(spared.length === 0 ? {} : { spared: [...spared] }),
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
