import { invalidReason } from '../../model/invalid-reason.ts';
import { type Cell, type InvalidReason, isOwnEndpoint } from '../../model/run.ts';
import { leastDesignEffect } from '../../stats/index.ts';

/**
 * How far an endpoint's share of a cell's requests may move: half of itself, or five percentage points if that is
 * less. Both sides run the same scripts, so only the service can have moved it.
 */
const mostOfItself = 0.5;
const mostPoints = 0.05;

/** Standard errors within which a share moves by chance. */
const chance = 3.5;

function requestsByName({ blocks }: Cell): ReadonlyMap<string, number> {
  const requests = new Map<string, number>();
  for (const { name, requests: count } of blocks.flatMap(({ endpoints }) => endpoints)) {
    if (isOwnEndpoint(name)) continue;
    requests.set(name, (requests.get(name) ?? 0) + count);
  }
  return requests;
}

function sumOf(requests: ReadonlyMap<string, number>): number {
  return [...requests.values()].reduce((sum, count) => sum + count, 0);
}

/**
 * Reasons why head's cell received other requests than base's, which makes their figures incomparable. For example, a
 * search that no longer finds anything ends a user's pass early, and the rest of the pass is fast.
 */
export function mixReasons(base: Cell, head: Cell): InvalidReason[] {
  const [before, after] = [requestsByName(base), requestsByName(head)];
  const [baseTotal, headTotal] = [sumOf(before), sumOf(after)];
  if (baseTotal === 0 || headTotal === 0) return [];
  const moved = [...before].flatMap(([name, count]) => {
    const [baseShare, headShare] = [count / baseTotal, (after.get(name) ?? 0) / headTotal];
    const both = (count + (after.get(name) ?? 0)) / (baseTotal + headTotal);
    const error = Math.sqrt(leastDesignEffect * both * (1 - both) * (1 / baseTotal + 1 / headTotal));
    const difference = Math.abs(headShare - baseShare);
    const counts = difference > chance * error && difference > Math.min(mostPoints, mostOfItself * baseShare);
    return counts ? [{ name, base: baseShare, head: headShare }] : [];
  });
  const [lost, shifted] = [moved.filter(({ head }) => head === 0), moved.filter(({ head }) => head > 0)];
  return [
    ...(lost.length === 0 ? [] : [invalidReason('I_ENDPOINT_LOST', { lost })]),
    ...(shifted.length === 0 ? [] : [invalidReason('I_MIX', { moved: shifted })]),
  ];
}
