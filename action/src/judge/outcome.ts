import { isDisturbance } from '../model/invalid-reason.ts';
import type { InvalidReason } from '../model/run.ts';
import { type CellVerdict, type Comparison, type Outcome, outcomes } from '../model/verdict.ts';
import { differByCheckout } from './comparable/fingerprint.ts';

/** The most serious outcome: invalid, then regression, noise, undecided, accepted, coarse and pass. */
export function mostSerious(some: readonly Outcome[]): Outcome {
  return outcomes[Math.max(0, ...some.map((outcome) => outcomes.indexOf(outcome)))] ?? 'pass';
}

/** The outcome of what cannot be judged for these reasons: noise if the machine was merely disturbed. */
export function unjudged(reasons: readonly InvalidReason[]): 'noise' | 'invalid' {
  return reasons.length > 0 && reasons.every(isDisturbance) ? 'noise' : 'invalid';
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
 * and "invalid" would hide the reason. A check that could not compare and proved nothing is undecided.
 */
export function checkOutcome(
  invalid: readonly InvalidReason[],
  cells: readonly Pick<CellVerdict, 'outcome'>[],
  comparison: Comparison,
): Outcome {
  const ofCells = cells.map(({ outcome }) => outcome);
  if (invalid.length > 0) return mostSerious([unjudged(invalid), ...ofCells]);
  if (ofCells.includes('regression')) return 'regression';
  const uncompared = isMadeIncomparable(comparison) || isPartlyUncompared(comparison);
  return mostSerious([...ofCells, uncompared ? 'undecided' : 'pass']);
}
