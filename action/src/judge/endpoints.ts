import { quantileSorted } from 'simple-statistics';
import { type Block, type EndpointBlock, isOwnEndpoint } from '../model/run.ts';
import { geometricMean } from '../model/run-figures.ts';
import type { EndpointChange } from '../model/verdict.ts';
import { errorRate, meanOverRequests } from './figures/cell-figures.ts';

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
 * The growth that most endpoints of a cell share: the wait for something common, such as a connection or a core. It
 * is the lower quartile, since up to three quarters of the endpoints may have become slower themselves, and some (a
 * login against a cache) may share nothing.
 */
function sharedGrowth(growths: readonly number[]): number {
  return growths.length === 0
    ? 0
    : Math.max(
        0,
        quantileSorted(
          [...growths].sort((a, b) => a - b),
          0.25,
        ),
      );
}

/**
 * The endpoints that both sides measured, the likeliest causes first. An endpoint adds the growth of its mean response
 * time, times its share of head's requests. In a queue the time of every endpoint grows, so endpoints are ranked by
 * the growth beyond the shared one, and only then by the time they add.
 */
export function compareEndpoints(base: readonly Block[], head: readonly Block[]): EndpointChange[] {
  const baseParts = byName(base);
  const requests = head.flatMap(({ endpoints }) => endpoints).reduce((sum, part) => sum + part.requests, 0);
  const changes = [...byName(head)].flatMap(([name, parts]) => {
    const known = baseParts.get(name);
    if (known === undefined) return [];
    const [before, after] = [figures(known), figures(parts)];
    const portion = requests === 0 ? 0 : parts.reduce((sum, part) => sum + part.requests, 0) / requests;
    return [{ name, base: before, head: after, portion, growthMs: after.meanMs - before.meanMs }];
  });
  // The gate's own rows, such as requests that were dropped, wait for nothing.
  const waiting = changes.filter(({ name }) => !isOwnEndpoint(name));
  const shared = sharedGrowth(waiting.map(({ growthMs }) => growthMs));
  const addedMs = changes.map(({ growthMs, portion }) => Math.max(0, growthMs) * portion);
  const shares = sharesOf(addedMs);
  return changes
    .map(({ name, base: before, head: after, portion, growthMs }, index) => {
      const beyondSharedMs = Math.max(0, growthMs - shared);
      const change: EndpointChange = {
        name,
        base: before,
        head: after,
        shareOfAddedTime: shares[index] ?? 0,
        beyondSharedMs,
        worse: [],
      };
      return { change, ownMs: beyondSharedMs * portion };
    })
    .sort(
      (left, right) =>
        right.ownMs - left.ownMs ||
        right.change.shareOfAddedTime - left.change.shareOfAddedTime ||
        p95Growth(right.change) - p95Growth(left.change),
    )
    .map(({ change }) => change);
}

/** Each value's share of their sum; all 0 if that is 0. */
function sharesOf(values: readonly number[]): number[] {
  const largest = Math.max(0, ...values);
  if (largest === 0) return values.map(() => 0);
  // Relative to the largest first, so that the sum cannot overflow.
  const weights = values.map((value) => value / largest);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

function p95Growth({ base, head }: EndpointChange): number {
  return head.p95Ms - base.p95Ms;
}
