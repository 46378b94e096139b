import { mostFailed } from '../../model/experiment.ts';
import type { StaircaseStep } from '../../model/staircase.ts';

/**
 * The users with which p95 reaches the target, between two steps on a log scale for both, because response time grows in
 * proportion to users where it grows. Undefined if every step holds it. The lowest step's users if none does. A step whose
 * requests fail does not hold it.
 */
export function usersAtTarget(
  steps: readonly Pick<StaircaseStep, 'users' | 'p95Ms' | 'errorRate'>[],
  targetMs: number,
): number | undefined {
  const above = steps.findIndex(({ p95Ms, errorRate }) => p95Ms.value > targetMs || errorRate > mostFailed);
  const over = steps[above];
  if (over === undefined) return undefined;
  const under = steps[above - 1];
  // Fast failures say nothing about where between the two steps p95 would pass the target.
  if (under === undefined || over.p95Ms.value <= targetMs) return over.users;
  const part = Math.log(targetMs / under.p95Ms.value) / Math.log(over.p95Ms.value / under.p95Ms.value);
  return Math.round(under.users * (over.users / under.users) ** part);
}
