import type { InvalidReason } from '../model/run.ts';
import type { CellVerdict, Outcome } from '../model/verdict.ts';

const byWeight: readonly Outcome[] = ['pass', 'inconclusive', 'regression', 'invalid'];

/** The one that counts most: invalid, then regression, then inconclusive, then pass. */
export function gravest(outcomes: readonly Outcome[]): Outcome {
  return byWeight[Math.max(0, ...outcomes.map((outcome) => byWeight.indexOf(outcome)))] ?? 'pass';
}

/**
 * What a check comes to: the gravest of its cells, but for one thing. A regression that a cell proves on figures that
 * can be trusted stays proved when another cell cannot be: a service that breaks down under load often spoils the
 * cells after it, and "invalid" would hide the reason.
 */
export function checkOutcome(invalid: readonly InvalidReason[], cells: readonly CellVerdict[]): Outcome {
  if (invalid.length > 0) return 'invalid';
  const outcomes = cells.map(({ outcome }) => outcome);
  return outcomes.includes('regression') ? 'regression' : gravest(outcomes);
}
