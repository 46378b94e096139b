import type { InvalidReason } from '../model/run.ts';
import type { CellVerdict, Comparison, Outcome } from '../model/verdict.ts';
import { differByCheckout } from './fingerprint.ts';

const bySeverity: readonly Outcome[] = ['pass', 'inconclusive', 'regression', 'invalid'];

/** The most serious outcome: invalid, then regression, then inconclusive, then pass. */
export function mostSerious(outcomes: readonly Outcome[]): Outcome {
  return bySeverity[Math.max(0, ...outcomes.map((outcome) => bySeverity.indexOf(outcome)))] ?? 'pass';
}

/**
 * True if a baseline exists, but the checkout changed its data, load or versions, so that no stored run can show what
 * the change does. A migration that drops an index must not pass by making itself incomparable.
 */
export function isMadeIncomparable(comparison: Comparison): boolean {
  return (
    comparison.kind === 'none' &&
    comparison.reason === 'not-comparable' &&
    differByCheckout(comparison.mismatches)
  );
}

/** True if base fails what some cell requests, so that nothing shows what the change does in that cell. */
function isPartlyUncompared(comparison: Comparison): boolean {
  return comparison.kind === 'side-by-side' && comparison.beyondBase !== undefined;
}

/**
 * The outcome of a check: the most serious one of its cells, with one exception. A regression that one cell proves
 * stays proved when another cell is invalid: a service that breaks down under load often spoils the cells after it,
 * and "invalid" would hide the reason. A check that could not compare and proved nothing does not pass.
 */
export function checkOutcome(
  invalid: readonly InvalidReason[],
  cells: readonly CellVerdict[],
  comparison: Comparison,
): Outcome {
  if (invalid.length > 0) return 'invalid';
  const outcomes = cells.map(({ outcome }) => outcome);
  if (outcomes.includes('regression')) return 'regression';
  const uncompared = isMadeIncomparable(comparison) || isPartlyUncompared(comparison);
  return mostSerious([...outcomes, uncompared ? 'inconclusive' : 'pass']);
}
