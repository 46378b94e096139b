import type { CheckRecord } from '../../model/record.ts';
import type { CellVerdict } from '../../model/verdict.ts';
import type { Table } from '../content/tables.ts';
import { formatChange, formatCount, formatMs, formatMsFigure, formatShare } from '../format/number.ts';
import { askedEndpoints, type EndpointFigures } from './asked-endpoints.ts';

/** Every endpoint of a cell that head was asked for, with base where the two were compared; most requests first. */
export function endpointFigures(record: CheckRecord, cell: CellVerdict): Table {
  const withBase = cell.endpoints.length > 0;
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
    entries: askedEndpoints(record, cell).map(({ name, requests, base, head }) => {
      const move = (read: (of: EndpointFigures) => number, say: (value: number) => string, sayBase = say) =>
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
