import { markdownTable } from 'markdown-table';
import { cellName } from '../model/run.ts';
import type { CellVerdict, EndpointChange, MetricName, MetricVerdict } from '../model/verdict.ts';
import { countOf } from './cell-state.ts';
import { longestName, markdownCode, markdownInline } from './markdown-text.ts';
import {
  formatMetricChange,
  formatMetricInterval,
  formatMetricMove,
  formatMetricValue,
  formatVisible,
  metricOf,
  metricTitles,
  metricWord,
} from './metric.ts';
import {
  formatChange,
  formatCount,
  formatMs,
  formatMsChange,
  formatMsFigure,
  formatShare,
  formatTps,
} from './number.ts';

/** Title, alignment and what stands in a row; already Markdown. */
interface Column<Row> {
  readonly title: string;
  readonly align: 'left' | 'right';
  readonly cell: (row: Row) => string;
}

function left<Row>(title: string, cell: (row: Row) => string): Column<Row> {
  return { title, align: 'left', cell };
}

function right<Row>(title: string, figure: (row: Row) => string): Column<Row> {
  return { title, align: 'right', cell: (row) => markdownInline(figure(row)) };
}

/** A table whose cells are already Markdown, so that shorter versions of it cost little. */
export interface Table {
  readonly columns: readonly { readonly title: string; readonly align: 'left' | 'right' }[];
  /** The rows of each entry; an entry is shown as a whole. */
  readonly entries: readonly (readonly (readonly string[])[])[];
}

function table<Row>(columns: readonly Column<Row>[], entries: readonly (readonly Row[])[]): Table {
  return {
    columns,
    entries: entries.map((rows) => rows.map((row) => columns.map(({ cell }) => cell(row)))),
  };
}

/** The table with its first entries. */
export function tableText({ columns, entries }: Table, count = entries.length): string {
  return markdownTable([columns.map(({ title }) => title), ...entries.slice(0, count).flat()], {
    align: columns.map(({ align }) => align),
  });
}

/** A cell's name where people read it, to be copied as it stands. */
export function cellCode(cell: { readonly scenario: string; readonly load: string }): string {
  return markdownCode(cellName(cell), 2 * longestName + 1);
}

interface MetricRow {
  readonly cell: CellVerdict;
  readonly metric: MetricVerdict;
  readonly first: boolean;
}

/** One row a metric: base, head, change with its interval, what it was held to and what could be seen. */
export function metricTable(
  cells: readonly CellVerdict[],
  metricsOf: (cell: CellVerdict) => readonly MetricVerdict[],
): Table {
  const entries = cells.map((cell) =>
    metricsOf(cell).map((metric, index): MetricRow => ({ cell, metric, first: index === 0 })),
  );
  return table<MetricRow>(
    [
      left('cell', ({ cell, first }) => (first ? `${cellCode(cell)}, ${formatCount(cell.vus)} VUs` : '')),
      left('', ({ metric }) => metricTitles[metric.metric]),
      right('base', ({ metric }) => formatMetricValue(metric.metric, metric.base)),
      right('head', ({ metric }) => formatMetricValue(metric.metric, metric.head)),
      right(
        'change \\[95%\\]',
        ({ metric }) => `${formatMetricChange(metric.metric, metric.change)} ${formatMetricInterval(metric)}`,
      ),
      right('limit', ({ metric }) => formatMetricChange(metric.metric, metric.limit)),
      right('sees', ({ metric }) => formatVisible(metric)),
      left('', ({ metric }) =>
        metric.outcome === 'regression' ? `**${metricWord(metric)}**` : metricWord(metric),
      ),
    ],
    entries,
  );
}

function metricColumns(name: MetricName): Column<CellVerdict>[] {
  const show = (format: (metric: MetricVerdict) => string) => (cell: CellVerdict) => {
    const metric = metricOf(cell, name);
    return metric === undefined ? '' : format(metric);
  };
  return [
    right(`${metricTitles[name]} base → head`, show(formatMetricMove)),
    right(
      'change',
      show(({ change }) => formatMetricChange(name, change)),
    ),
    right('sees', show(formatVisible)),
  ];
}

/** One row a cell that was compared. */
export function comparedTable(cells: readonly CellVerdict[]): Table {
  return table<CellVerdict>(
    [
      left('cell', cellCode),
      right('VUs', ({ vus }) => formatCount(vus)),
      ...metricColumns('p95'),
      ...metricColumns('tps'),
      right('errors', ({ head }) => formatShare(head.errorRate)),
    ],
    cells.map((cell) => [cell]),
  );
}

/** One row a cell: what was measured of head, compared or not. */
export function measuredTable(cells: readonly CellVerdict[]): Table {
  return table<CellVerdict>(
    [
      left('cell', cellCode),
      right('VUs', ({ vus }) => formatCount(vus)),
      right('TPS', ({ head }) => formatTps(head.tps)),
      right('mean', ({ head }) => formatMs(head.meanMs)),
      right('p95', ({ head }) => formatMs(head.p95Ms)),
      right('p99', ({ head }) => formatMs(head.p99Ms)),
      right('errors', ({ head }) => formatShare(head.errorRate)),
      right('requests', ({ head }) => formatCount(head.requests)),
      right('blocks', ({ head }) => formatCount(head.blocks)),
      right('generator', ({ head }) => formatShare(head.generatorCpuShare)),
    ],
    cells.map((cell) => [cell]),
  );
}

/** One row an endpoint: its response times before and after, and its part in the cell's change. */
export function endpointTable(endpoints: readonly EndpointChange[], most: number): string {
  const shown = endpoints.slice(0, most);
  const hidden = endpoints.length - shown.length;
  const withErrors = shown.some(({ base, head }) => base.errorRate > 0 || head.errorRate > 0);
  const withGrowth = shown.some(({ shareOfAddedTime }) => shareOfAddedTime > 0);
  const rows = table<EndpointChange>(
    [
      left('endpoint', ({ name }) => markdownCode(name)),
      right(
        'mean base → head',
        ({ base, head }) => `${formatMsFigure(base.meanMs)} → ${formatMs(head.meanMs)}`,
      ),
      right('change', ({ base, head }) => formatChange(head.meanMs / base.meanMs - 1)),
      right('p95 base → head', ({ base, head }) => `${formatMsFigure(base.p95Ms)} → ${formatMs(head.p95Ms)}`),
      ...(withErrors
        ? [
            right<EndpointChange>(
              'errors base → head',
              ({ base, head }) => `${formatShare(base.errorRate)} → ${formatShare(head.errorRate)}`,
            ),
          ]
        : []),
      ...(withGrowth
        ? [
            right<EndpointChange>('by itself', ({ beyondSharedMs }) => formatMsChange(beyondSharedMs)),
            right<EndpointChange>('added time', ({ shareOfAddedTime }) => formatShare(shareOfAddedTime)),
          ]
        : []),
    ],
    [shown],
  );
  const text = tableText(rows);
  return hidden > 0 ? `${text}\n\nand ${countOf(hidden, 'more endpoint')}` : text;
}
