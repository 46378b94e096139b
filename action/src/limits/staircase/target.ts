import type { StaircaseStep } from '../../model/staircase.ts';

/**
 * The users with which p95 reaches the target, between two steps on a log scale for both, because response time grows in
 * proportion to users where it grows. Undefined if every step holds it. The lowest step's users if none does.
 */
export function usersAtTarget(
  steps: readonly Pick<StaircaseStep, 'users' | 'p95Ms'>[],
  targetMs: number,
): number | undefined {
  const above = steps.findIndex(({ p95Ms }) => p95Ms.value > targetMs);
  const over = steps[above];
  if (over === undefined) return undefined;
  const under = steps[above - 1];
  if (under === undefined) return over.users;
  const part = Math.log(targetMs / under.p95Ms.value) / Math.log(over.p95Ms.value / under.p95Ms.value);
  return Math.round(under.users * (over.users / under.users) ** part);
}
