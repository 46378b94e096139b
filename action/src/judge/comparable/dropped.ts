import { invalidReason } from '../../model/invalid-reason.ts';
import { type Cell, cleanBlocks, type InvalidReason, ownEndpoints } from '../../model/run.ts';

/** Passes that may be dropped by chance, as a share of all. With more of them, the users limit the load. */
export const mostDropped = 0.01;

/** The share of the passes that found no free user. Each counts as the requests that it would have sent. */
export function shareDropped(cell: Cell): number {
  const parts = cleanBlocks(cell).flatMap(({ endpoints }) => endpoints);
  const sum = (counted: typeof parts) => counted.reduce((total, { requests }) => total + requests, 0);
  const all = sum(parts);
  return all === 0 ? 0 : sum(parts.filter(({ name }) => name === ownEndpoints.dropped)) / all;
}

/**
 * Why dropped passes say nothing about the change. A base that drops none shows that the load has enough users, so it is
 * head that holds them up, and the passes count as its errors. If base drops passes too, the load asks for more than its
 * users can begin, and both sides are measured in a closed loop of that many users.
 *
 * @param base the sides that head is compared with, oldest first; empty if there is none
 */
export function droppedReasons(base: readonly Cell[], head: Cell): InvalidReason[] {
  const dropped = shareDropped(head);
  if (dropped <= mostDropped) return [];
  const newest = base.at(-1);
  const before = newest === undefined ? undefined : shareDropped(newest);
  return before === undefined || before > mostDropped
    ? [invalidReason('I_DROPPED', { base: before, head: dropped })]
    : [];
}
