import type { Cell, InvalidReason } from '../model/run.ts';
import { leastDesignEffect } from '../stats/index.ts';

/**
 * How far the share of an endpoint in a cell's requests may move: half of itself, or five percentage points if that
 * is less. The scripts are the same on both sides, so that the service alone can have moved it.
 */
const mostOfItself = 0.5;
const mostPoints = 0.05;

/** Standard errors within which a share moves by chance. */
const chance = 3.5;

function requestsByName({ blocks }: Cell): ReadonlyMap<string, number> {
  const requests = new Map<string, number>();
  for (const { name, requests: count } of blocks.flatMap(({ endpoints }) => endpoints)) {
    requests.set(name, (requests.get(name) ?? 0) + count);
  }
  return requests;
}

function sumOf(requests: ReadonlyMap<string, number>): number {
  return [...requests.values()].reduce((sum, count) => sum + count, 0);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}

/**
 * Why head's cell asked for something else than base's did, if so: its figures are then not those of the same load. A
 * search that finds nothing any more ends a user's pass early, and what is left of the pass is quick.
 */
export function mixReasons(base: Cell, head: Cell): InvalidReason[] {
  const [before, after] = [requestsByName(base), requestsByName(head)];
  const [ofBase, ofHead] = [sumOf(before), sumOf(after)];
  if (ofBase === 0 || ofHead === 0) return [];
  const moved = [...before].flatMap(([name, count]) => {
    const [was, is] = [count / ofBase, (after.get(name) ?? 0) / ofHead];
    const both = (count + (after.get(name) ?? 0)) / (ofBase + ofHead);
    const error = Math.sqrt(leastDesignEffect * both * (1 - both) * (1 / ofBase + 1 / ofHead));
    const difference = Math.abs(is - was);
    const counts = difference > chance * error && difference > Math.min(mostPoints, mostOfItself * was);
    return counts ? [{ name, was, is }] : [];
  });
  const lost = moved
    .filter(({ is }) => is === 0)
    .map(({ name, was }) => `${name} (${percent(was)} of base's)`);
  const shifted = moved
    .filter(({ is }) => is > 0)
    .map(({ name, was, is }) => `${name} from ${percent(was)} to ${percent(is)}`);
  const nextStep =
    'look why the journey goes another way: an answer without what the next step needs, or an error; if it is meant, record a new baseline';
  return [
    ...(lost.length === 0
      ? []
      : [{ code: 'I_ENDPOINT_LOST', cause: `no request went to ${lost.join(', ')}`, nextStep }]),
    ...(shifted.length === 0
      ? []
      : [{ code: 'I_MIX', cause: `the mix of requests is not base's: ${shifted.join(', ')}`, nextStep }]),
  ];
}
