import type { Failing, FailOn } from '../model/fail-on.ts';
import { exitCodes } from '../model/fault.ts';
import type { Comparison, Verdict } from '../model/verdict.ts';

const failures: Readonly<Record<Failing, number>> = {
  regression: exitCodes.regression,
  coarse: exitCodes.regression,
  'not-compared': exitCodes.regression,
  invalid: exitCodes.notMeasured,
  noise: exitCodes.undecided,
  undecided: exitCodes.undecided,
};

/** True if the check should have compared, but had nothing comparable. */
function isNotCompared(comparison: Comparison): boolean {
  return comparison.kind === 'none' && comparison.reason !== 'not-asked';
}

/** The exit code of a check: that of its outcome if it is listed. What is not listed passes. */
export function exitCodeOf(
  { outcome, comparison }: Pick<Verdict, 'outcome' | 'comparison'>,
  failOn: FailOn,
): number {
  if (outcome !== 'pass' && outcome !== 'accepted' && failOn.has(outcome)) return failures[outcome];
  return isNotCompared(comparison) && failOn.has('not-compared') ? failures['not-compared'] : exitCodes.pass;
}

/** The exit code of a measurement that compares nothing or whose comparison decides nothing. */
export function exitCodeOfMeasuring(
  verdict: Pick<Verdict, 'outcome' | 'comparison'>,
  failOn?: FailOn,
): number {
  // A run that was too disturbed is not stored, so it must not look as if it were.
  const fails = failOn === undefined || failOn.has('invalid') || failOn.has('noise');
  const counts = fails ? (['invalid', 'noise'] as const) : [];
  return exitCodeOf(verdict, new Set(counts));
}
