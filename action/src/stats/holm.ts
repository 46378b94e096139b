/**
 * Holm's (1979) step-down adjustment: the smallest p value counts as many times as there are hypotheses, the
 * next one fewer, and so on. Rejecting where the adjusted value is below alpha keeps the chance of even one
 * false rejection below alpha, however the hypotheses depend on one another. Same order as given.
 */
export function holmAdjust(pValues: readonly number[]): readonly number[] {
  const adjusted = new Array<number>(pValues.length).fill(1);
  let floor = 0;
  const ascending = pValues.map((p, index) => ({ p, index })).sort((left, right) => left.p - right.p);
  for (const [rank, { p, index }] of ascending.entries()) {
    floor = Math.max(floor, Math.min(1, p * (pValues.length - rank)));
    adjusted[index] = floor;
  }
  return adjusted;
}

/**
 * Simes' (1986) p value of "neither of these": min over k of n p(k) / k. Two that agree count once, of two that
 * part only one of which moved counts twice. Holds for hypotheses that depend positively (Sarkar 1998).
 */
export function simes(pValues: readonly number[]): number {
  const ascending = [...pValues].sort((left, right) => left - right);
  return Math.min(1, ...ascending.map((p, index) => (p * ascending.length) / (index + 1)));
}
