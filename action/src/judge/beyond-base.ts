import type { Cell } from '../model/run.ts';

/** From more failures than this an endpoint is taken for one that the side does not have. */
const mostFailures = 0.5;

function failureShares({ blocks }: Cell): ReadonlyMap<string, number> {
  const counts = new Map<string, { requests: number; errors: number }>();
  for (const { name, requests, errors } of blocks.flatMap(({ endpoints }) => endpoints)) {
    const sum = counts.get(name) ?? { requests: 0, errors: 0 };
    counts.set(name, { requests: sum.requests + requests, errors: sum.errors + errors });
  }
  return new Map([...counts].map(([name, { requests, errors }]) => [name, errors / requests]));
}

/**
 * Endpoints that head answers and base fails, be it that the change adds them. Head's scripts load both sides, and a
 * base that refuses part of the journey is quick at the rest of it: its figures are no measure for head's.
 */
export function endpointsBeyondBase(base: Cell, head: Cell): readonly string[] {
  const [ofBase, ofHead] = [failureShares(base), failureShares(head)];
  return [...ofHead]
    .filter(([name, failed]) => failed <= mostFailures && (ofBase.get(name) ?? 0) > mostFailures)
    .map(([name]) => name);
}
