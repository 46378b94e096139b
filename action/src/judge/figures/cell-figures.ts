import type { Block } from '../../model/run.ts';
import { geometricMean } from '../../model/run-figures.ts';
import type { CellVerdict } from '../../model/verdict.ts';

/** JSON has no infinity: sums of absurd but allowed figures stop here. */
const greatest = 1e300;

export function bounded(value: number): number {
  return Math.min(greatest, Math.max(-greatest, value));
}

/** Mean of means, each weighted by the requests behind it; 0 without requests. */
export function meanOverRequests(
  parts: readonly { readonly requests: number; readonly meanMs: number }[],
): number {
  const requests = parts.reduce((sum, part) => sum + part.requests, 0);
  if (requests === 0) {
    return 0;
  }
  return parts.reduce((sum, part) => sum + bounded(part.meanMs) * (part.requests / requests), 0);
}

/** Share of failed requests, 0 to 1; 0 without requests. */
export function errorRate(parts: readonly { readonly requests: number; readonly errors: number }[]): number {
  const requests = parts.reduce((sum, part) => sum + part.requests, 0);
  const errors = parts.reduce((sum, part) => sum + part.errors, 0);
  return requests === 0 ? 0 : Math.min(1, errors / requests);
}

/** Head's own figures over all blocks of a cell. */
export function headFigures(blocks: readonly Block[]): CellVerdict['head'] {
  const requests = blocks.reduce((sum, block) => sum + block.requests, 0);
  const generator = blocks.map(({ usage }) => bounded(usage.generator?.cpuShare ?? 0));
  return {
    tps: geometricMean(blocks.map(({ tps }) => tps)),
    meanMs: meanOverRequests(
      blocks.map((block) => ({ requests: block.requests, meanMs: block.latency.meanMs })),
    ),
    p95Ms: geometricMean(blocks.map(({ latency }) => latency.p95Ms)),
    p99Ms: geometricMean(blocks.map(({ latency }) => latency.p99Ms)),
    errorRate: errorRate(blocks),
    requests: Math.min(Number.MAX_SAFE_INTEGER, requests),
    blocks: blocks.length,
    generatorCpuShare: generator.reduce((sum, cpuShare) => sum + cpuShare / generator.length, 0),
  };
}
