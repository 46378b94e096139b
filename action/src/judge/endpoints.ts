import type { Block, EndpointBlock } from '../model/run.ts';
import type { EndpointChange } from '../model/verdict.ts';
import { errorRate, geometricMean, meanOverRequests } from './figures.ts';

interface EndpointFigures {
  readonly meanMs: number;
  readonly p95Ms: number;
  readonly errorRate: number;
}

function byName(blocks: readonly Block[]): ReadonlyMap<string, readonly EndpointBlock[]> {
  return Map.groupBy(
    blocks.flatMap(({ endpoints }) => endpoints),
    ({ name }) => name,
  );
}

function figures(parts: readonly EndpointBlock[]): EndpointFigures {
  return {
    meanMs: meanOverRequests(parts.map(({ requests, latency }) => ({ requests, meanMs: latency.meanMs }))),
    p95Ms: geometricMean(parts.map(({ latency }) => latency.p95Ms)),
    errorRate: errorRate(parts),
  };
}

/**
 * The endpoints that both sides measured, those that carry most of the added time first. Time added by an
 * endpoint is the growth of its mean response time times its share of head's requests.
 */
export function compareEndpoints(base: readonly Block[], head: readonly Block[]): EndpointChange[] {
  const ofBase = byName(base);
  const requests = head.flatMap(({ endpoints }) => endpoints).reduce((sum, part) => sum + part.requests, 0);
  const changes = [...byName(head)].flatMap(([name, parts]) => {
    const known = ofBase.get(name);
    if (known === undefined) {
      return [];
    }
    const [before, after] = [figures(known), figures(parts)];
    const portion = requests === 0 ? 0 : parts.reduce((sum, part) => sum + part.requests, 0) / requests;
    return [
      { name, base: before, head: after, addedMs: Math.max(0, after.meanMs - before.meanMs) * portion },
    ];
  });
  const largest = Math.max(0, ...changes.map(({ addedMs }) => addedMs));
  // Relative to the largest first, so that the sum cannot overflow.
  const weights = changes.map(({ addedMs }) => (largest === 0 ? 0 : addedMs / largest));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return changes
    .map(({ name, base: before, head: after }, index) => ({
      name,
      base: before,
      head: after,
      shareOfAddedTime: sum === 0 ? 0 : (weights[index] ?? 0) / sum,
    }))
    .sort(
      (left, right) => right.shareOfAddedTime - left.shareOfAddedTime || p95Growth(right) - p95Growth(left),
    );
}

function p95Growth({ base, head }: EndpointChange): number {
  return head.p95Ms - base.p95Ms;
}
