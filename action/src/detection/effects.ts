import type { Block, Cell, Latency, Run } from '../model/run.ts';

/**
 * What a change does to a cell, by a size: 0.1 is a tenth more. `cpu` costs the service CPU time, and requests take
 * longer by as much. `waiting` makes them longer only. `tail` moves p95 and what lies beyond it. `endpoint` slows one
 * endpoint, the middle one by name, so that it is the same in all runs. `counts` adds to the SQL statements only.
 */
export const effectKinds = ['cpu', 'waiting', 'tail', 'endpoint', 'counts'] as const;
export type EffectKind = (typeof effectKinds)[number];

export interface Effect {
  readonly kind: EffectKind;
  readonly size: number;
}

/** The run with the effect in the cells at these positions; all other figures stay as recorded. */
export function withEffect(run: Run, effect: Effect | undefined, cells: readonly number[]): Run {
  if (effect === undefined) return run;
  return {
    ...run,
    cells: run.cells.map((cell, index) => (cells.includes(index) ? changed(cell, effect) : cell)),
  };
}

function changed(cell: Cell, { kind, size }: Effect): Cell {
  const factor = 1 + size;
  const slow = kind === 'endpoint' ? middleEndpoint(cell) : undefined;
  const change = (block: Block): Block => {
    switch (kind) {
      case 'cpu':
        return { ...longer(block, factor), usage: usageOf(block, factor, ['service']) };
      case 'waiting':
        return longer(block, factor);
      case 'tail':
        return { ...block, latency: tailOf(block.latency, factor), endpoints: tails(block, factor) };
      case 'endpoint':
        return slowEndpoint(block, slow, factor);
      case 'counts':
        return { ...block, signals: counted(block, factor) };
    }
  };
  return { ...cell, blocks: cell.blocks.map(change) };
}

function times(latency: Latency, factor: number): Latency {
  const { meanMs, p50Ms, p90Ms } = latency;
  return {
    ...tailOf(latency, factor),
    meanMs: meanMs * factor,
    p50Ms: p50Ms * factor,
    p90Ms: p90Ms * factor,
  };
}

function tailOf(latency: Latency, factor: number): Latency {
  const { p95Ms, p99Ms, maxMs } = latency;
  return { ...latency, p95Ms: p95Ms * factor, p99Ms: p99Ms * factor, maxMs: maxMs * factor };
}

function tails({ endpoints }: Block, factor: number): Block['endpoints'] {
  return endpoints.map((one) => ({ ...one, latency: tailOf(one.latency, factor) }));
}

/** In a closed loop throughput falls as requests take longer, and CPU time per request stays. */
function longer(block: Block, factor: number): Block {
  return {
    ...fewer(block, factor),
    latency: times(block.latency, factor),
    endpoints: block.endpoints.map((one) => ({
      ...one,
      requests: Math.round(one.requests / factor),
      latency: times(one.latency, factor),
    })),
  };
}

function fewer(block: Block, factor: number): Block {
  return {
    ...block,
    tps: block.tps / factor,
    requests: Math.round(block.requests / factor),
    usage: usageOf(block, factor, []),
  };
}

/** The shares of the CPU at a lower throughput, where requests cost these roles more by the same factor. */
function usageOf({ usage }: Block, factor: number, dearer: readonly string[]): Block['usage'] {
  return Object.fromEntries(
    Object.entries(usage).map(([role, one]) => [
      role,
      dearer.includes(role) ? one : { ...one, cpuShare: one.cpuShare / factor },
    ]),
  );
}

function middleEndpoint({ blocks }: Cell): string | undefined {
  const names = (blocks[0]?.endpoints ?? []).map(({ name }) => name).toSorted();
  return names[Math.floor(names.length / 2)];
}

/** All latency of the cell moves by what its mean moves by: how p95 of all requests depends on one endpoint is not recorded. */
function slowEndpoint(block: Block, name: string | undefined, factor: number): Block {
  const total = (endpoints: Block['endpoints']) =>
    endpoints.reduce((sum, { requests, latency }) => sum + requests * latency.meanMs, 0);
  const endpoints = block.endpoints.map((one) =>
    one.name === name ? { ...one, latency: times(one.latency, factor) } : one,
  );
  const before = total(block.endpoints);
  const mean = before === 0 ? 1 : total(endpoints) / before;
  return {
    ...fewer(block, mean),
    latency: times(block.latency, mean),
    endpoints: endpoints.map((one) => ({ ...one, requests: Math.round(one.requests / mean) })),
  };
}

function counted({ signals }: Block, factor: number): Block['signals'] {
  return signals.statements === undefined ? signals : { ...signals, statements: signals.statements * factor };
}
