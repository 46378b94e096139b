import type { InvalidReason } from '../model/run.ts';
import type { CellVerdict, Comparison, Outcome } from '../model/verdict.ts';
import { differByCheckout } from './fingerprint.ts';

const byWeight: readonly Outcome[] = ['pass', 'inconclusive', 'regression', 'invalid'];

/** The one that counts most: invalid, then regression, then inconclusive, then pass. */
export function gravest(outcomes: readonly Outcome[]): Outcome {
  return byWeight[Math.max(0, ...outcomes.map((outcome) => byWeight.indexOf(outcome)))] ?? 'pass';
}

/**
 * True if there is a baseline, but the checkout changed its data, load or versions, so that no stored run tells what
 * the change does: a migration that drops an index must not pass by making itself incomparable.
 */
export function isBeyondComparison(comparison: Comparison): boolean {
  return (
    comparison.kind === 'none' &&
    comparison.reason === 'not-comparable' &&
    differByCheckout(comparison.mismatches)
  );
}

/** True if base fails what some cell asks for, so that nothing tells what the change does there. */
function isPartlyBeyondBase(comparison: Comparison): boolean {
  return comparison.kind === 'side-by-side' && comparison.beyondBase !== undefined;
}

/**
 * What a check comes to: the gravest of its cells, but for one thing. A regression that a cell proves on figures that
 * can be trusted stays proved when another cell cannot be: a service that breaks down under load often spoils the
 * cells after it, and "invalid" would hide the reason. Nothing proved and nothing to compare with is no pass.
 */
export function checkOutcome(
  invalid: readonly InvalidReason[],
  cells: readonly CellVerdict[],
  comparison: Comparison,
): Outcome {
  if (invalid.length > 0) return 'invalid';
  const outcomes = cells.map(({ outcome }) => outcome);
  if (outcomes.includes('regression')) return 'regression';
  const uncompared = isBeyondComparison(comparison) || isPartlyBeyondBase(comparison);
  return gravest([...outcomes, uncompared ? 'inconclusive' : 'pass']);
}
