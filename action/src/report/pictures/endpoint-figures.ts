import type { CheckRecord } from '../../model/record.ts';
import { type Block, cellName, type EndpointBlock } from '../../model/run.ts';
import type { CellVerdict, EndpointChange } from '../../model/verdict.ts';
import type { Table } from '../content/tables.ts';
import { formatChange, formatCount, formatMs, formatMsFigure, formatShare } from '../format/number.ts';
import { blocksOf } from './cell-blocks.ts';
import { median } from './percentile-chart.ts';

type Figures = EndpointChange['head'];

/** Every endpoint of a cell that head was asked for, with base where the two were compared; most requests first. */
export function endpointFigures(record: CheckRecord, cell: CellVerdict): Table {
  const compared = new Map(cell.endpoints.map((endpoint) => [endpoint.name, endpoint]));
  const blocks = blocksOf(record, cellName(cell)).filter(({ side }) => side === 'head');
  const asked = [...byEndpoint(blocks.map(({ block }) => block))]
    .map(([name, own]) => ({ name, requests: sum(own, ({ requests }) => requests), own }))
    .toSorted((a, b) => b.requests - a.requests);
  const withBase = compared.size > 0;
  const right = (title: string) => ({
    title: withBase ? `${title} base → head` : title,
    align: 'right' as const,
  });
  return {
    columns: [
      { title: 'endpoint', align: 'left' },
      { title: 'requests', align: 'right' },
      right('mean'),
      ...(withBase ? [{ title: 'raw change', align: 'right' as const }] : []),
      right('p95'),
      right('errors'),
    ],
    entries: asked.map(({ name, requests, own }) => {
      const { base, head } = compared.get(name) ?? { base: undefined, head: figuresOf(own, requests) };
      const move = (read: (of: Figures) => number, say: (value: number) => string, sayBase = say) =>
        base === undefined ? say(read(head)) : `${sayBase(read(base))} → ${say(read(head))}`;
      return [
        {
          cells: [
            [{ literal: name }],
            [formatCount(requests)],
            [move(({ meanMs }) => meanMs, formatMs, formatMsFigure)],
            ...(withBase ? [[base === undefined ? '' : formatChange(head.meanMs / base.meanMs - 1)]] : []),
            [move(({ p95Ms }) => p95Ms, formatMs, formatMsFigure)],
            [move(({ errorRate }) => errorRate, formatShare)],
          ],
        },
      ];
    }),
  };
}

function byEndpoint(blocks: readonly Block[]): ReadonlyMap<string, readonly EndpointBlock[]> {
  return Map.groupBy(
    blocks.flatMap(({ endpoints }) => endpoints),
    ({ name }) => name,
  );
}

function figuresOf(own: readonly EndpointBlock[], requests: number): Figures {
  return {
    meanMs: sum(own, (one) => one.latency.meanMs * one.requests) / Math.max(1, requests),
    p95Ms: median(own.map(({ latency }) => latency.p95Ms)),
    errorRate: sum(own, ({ errors }) => errors) / Math.max(1, requests),
  };
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
