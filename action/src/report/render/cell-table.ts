import { cellName } from '../../model/run.ts';
import type { CellVerdict, MetricName } from '../../model/verdict.ts';
import { cellState, cellStates, countOf, stateNotes, stateStyles } from '../content/cell-state.ts';
import {
  formatMetricChange,
  formatMetricInterval,
  formatMetricMove,
  formatVisible,
  metricOf,
} from '../content/metric.ts';
import { formatCount, formatMs, formatMsFigure, formatShare, formatTps } from '../format/number.ts';
import type { Paint } from '../format/paint.ts';
import {
  type Column,
  renderFitting,
  type Table,
  type TableCell,
  type TableRow,
  wrap,
} from '../format/text-layout.ts';

/** How much a layout shows: moves and intervals, moves only, or the head's figures only. */
type Detail = 'full' | 'moves' | 'figures';

function metricColumns(title: string, detail: Detail): Column[] {
  return [
    { title: detail === 'figures' ? title : `${title} base → head`, align: 'right' },
    { title: 'change', align: 'right' },
    ...(detail === 'full' ? [{ title: '[95%]', align: 'right', gap: 1 } as const] : []),
    { title: 'sees', align: 'right' },
  ];
}

function metricCells(cell: CellVerdict, name: MetricName, detail: Detail): TableCell[] {
  const head = name === 'p95' ? formatMs(cell.head.p95Ms) : formatTps(cell.head.tps);
  const metric = metricOf(cell, name);
  if (metric === undefined) {
    return [head, '', ...(detail === 'full' ? [''] : []), ''].map((text) => ({ text }));
  }
  return [
    { text: detail === 'figures' ? head : formatMetricMove(metric) },
    {
      text: formatMetricChange(name, metric.change),
      ...(metric.improved
        ? { style: 'green' as const }
        : metric.outcome === 'regression'
          ? { style: 'red' as const }
          : {}),
    },
    ...(detail === 'full' ? [{ text: formatMetricInterval(metric) }] : []),
    { text: formatVisible(metric).replace(/^[+-]/, '') },
  ];
}

function grouped(
  cells: readonly CellVerdict[],
  row: (cell: CellVerdict) => readonly TableCell[],
): TableRow[] {
  return cellStates.flatMap((state) => {
    const members = cells.filter((cell) => cellState(cell) === state);
    if (members.length === 0) return [];
    const style = stateStyles.get(state);
    return [{ heading: stateNotes[state], ...(style === undefined ? {} : { style }) }, ...members.map(row)];
  });
}

function comparedTable(cells: readonly CellVerdict[], detail: Detail): Table {
  const withErrors = cells.some(({ head }) => head.errorRate > 0);
  return {
    columns: [
      { title: 'cell', align: 'left' },
      { title: 'VUs', align: 'right' },
      ...metricColumns('TPS', detail),
      ...metricColumns('p95', detail),
      ...(withErrors ? [{ title: 'errors', align: 'right' } as const] : []),
      { title: 'gen.', align: 'right' },
    ],
    rows: grouped(cells, (cell) => [
      { text: `  ${cellName(cell)}` },
      { text: formatCount(cell.vus) },
      ...metricCells(cell, 'tps', detail),
      ...metricCells(cell, 'p95', detail),
      ...(withErrors ? [{ text: formatShare(cell.head.errorRate) }] : []),
      { text: formatShare(cell.head.generatorCpuShare) },
    ]),
  };
}

/** Title and figure. */
type MeasuredColumn = readonly [string, (cell: CellVerdict) => string];

const requestsColumn: MeasuredColumn = ['requests', ({ head }) => formatCount(head.requests)];

function measuredTable(cells: readonly CellVerdict[], wide: boolean): Table {
  const columns: readonly MeasuredColumn[] = [
    ['VUs', ({ vus }) => formatCount(vus)],
    ['TPS', ({ head }) => formatTps(head.tps)],
    ['mean ms', ({ head }) => formatMsFigure(head.meanMs)],
    ['p95 ms', ({ head }) => formatMsFigure(head.p95Ms)],
    ['p99 ms', ({ head }) => formatMsFigure(head.p99Ms)],
    ['errors', ({ head }) => formatShare(head.errorRate)],
    ...(wide ? [requestsColumn] : []),
    ['gen.', ({ head }) => formatShare(head.generatorCpuShare)],
  ];
  return {
    columns: [
      { title: 'cell', align: 'left' },
      ...columns.map(([title]) => ({ title, align: 'right' }) as const),
    ],
    rows: cells.map((cell) => [
      { text: cellName(cell) },
      ...columns.map(([, figure]) => ({ text: figure(cell) })),
    ]),
  };
}

function legend(text: string, width: number, paint: Paint): string[] {
  return wrap(text, width).map((line) => paint('dim', line));
}

/** One line a cell, grouped by what happened to it, as wide as the screen allows; `hidden` more are within noise. */
export function cellTable(
  cells: readonly CellVerdict[],
  hidden: number,
  width: number,
  paint: Paint,
): string[] {
  if (cells.length === 0) return [];
  if (cells.every((cell) => cell.metrics.length === 0)) {
    const tables = [measuredTable(cells, true), measuredTable(cells, false)];
    return [
      ...renderFitting(tables, width, paint),
      paint('dim', "gen.: the load generator's share of the CPU"),
    ];
  }
  const tables = (['full', 'moves', 'figures'] as const).map((detail) => comparedTable(cells, detail));
  const noErrors = cells.every(({ head }) => head.errorRate === 0) ? 'No errors in these cells. ' : '';
  return [
    ...renderFitting(tables, width, paint),
    ...(hidden > 0 ? [paint('dim', `  and ${countOf(hidden, 'more cell')}`)] : []),
    ...legend(
      `${noErrors}sees: smallest worsening that would have failed, with 80% power; gen.: the load generator's share of the CPU`,
      width,
      paint,
    ),
  ];
}
