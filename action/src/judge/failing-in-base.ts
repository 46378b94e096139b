import type { Cell } from '../model/run.ts';

/** A side does not really have an endpoint that fails more often than this. */
const mostFailures = 0.5;

function failureShares({ blocks }: Cell): ReadonlyMap<string, number> {
  const parts = Map.groupBy(
    blocks.flatMap(({ endpoints }) => endpoints),
    ({ name }) => name,
  );
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  return new Map(
    [...parts].map(([name, all]) => [
      name,
      sum(all.map(({ errors }) => errors)) / sum(all.map(({ requests }) => requests)),
    ]),
  );
}

/**
 * Endpoints that head answers and base fails, for example because the change adds them. Head's scripts load both
 * sides, and a base that refuses part of the journey is fast at the rest of it, so its figures are no measure for head.
 */
export function endpointsFailingInBase(base: Cell, head: Cell): readonly string[] {
  const baseShares = failureShares(base);
  return [...failureShares(head)]
    .filter(([name, failed]) => failed <= mostFailures && (baseShares.get(name) ?? 0) > mostFailures)
    .map(([name]) => name);
}
