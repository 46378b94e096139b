import type { CheckRecord } from '../../model/record.ts';
import { type Block, cellName, type EndpointBlock } from '../../model/run.ts';
import type { CellVerdict, EndpointChange } from '../../model/verdict.ts';
import { blocksOf } from './cell-blocks.ts';
import { median } from './percentile-chart.ts';

export type EndpointFigures = EndpointChange['head'];

export interface AskedEndpoint {
  readonly name: string;
  /** To head, in all its blocks. */
  readonly requests: number;
  /** Undefined if the endpoint was not compared. */
  readonly base: EndpointFigures | undefined;
  readonly head: EndpointFigures;
}

/** The endpoints of a cell that head was asked for, most requests first. */
export function askedEndpoints(record: CheckRecord, cell: CellVerdict): readonly AskedEndpoint[] {
  const compared = new Map(cell.endpoints.map((endpoint) => [endpoint.name, endpoint]));
  const blocks = blocksOf(record, cellName(cell)).filter(({ side }) => side === 'head');
  return [...byEndpoint(blocks.map(({ block }) => block))]
    .map(([name, own]) => {
      const requests = sum(own, (one) => one.requests);
      const { base, head } = compared.get(name) ?? { base: undefined, head: figuresOf(own, requests) };
      return { name, requests, base, head };
    })
    .toSorted((a, b) => b.requests - a.requests);
}

function byEndpoint(blocks: readonly Block[]): ReadonlyMap<string, readonly EndpointBlock[]> {
  return Map.groupBy(
    blocks.flatMap(({ endpoints }) => endpoints),
    ({ name }) => name,
  );
}

function figuresOf(own: readonly EndpointBlock[], requests: number): EndpointFigures {
  return {
    meanMs: sum(own, (one) => one.latency.meanMs * one.requests) / Math.max(1, requests),
    p95Ms: median(own.map(({ latency }) => latency.p95Ms)),
    errorRate: sum(own, ({ errors }) => errors) / Math.max(1, requests),
  };
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
