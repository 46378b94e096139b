import { cellName } from '../../model/run.ts';
import type {
  CellVerdict,
  EndpointChange,
  MetricName,
  MetricVerdict,
  ObjectiveResult,
  SignalChange,
} from '../../model/verdict.ts';
import {
  formatAmount,
  formatChange,
  formatCount,
  formatMs,
  formatMsChange,
  formatMsFigure,
  formatShare,
  formatTps,
} from '../format/number.ts';
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
import { formatObjectiveValue } from './objective.ts';
import { longestName, type Phrase, type PhrasePart } from './phrase.ts';

export interface ColumnHead {
  readonly title: string;
  readonly align: 'left' | 'right';
  /** True if what stands below says it too: where room is short, the title is left out. */
  readonly obvious: boolean;
}

export interface TableRow {
  readonly cells: readonly Phrase[];
  /** What the row tells of, for a form that can draw it. */
  readonly metric?: MetricVerdict;
}

/** Rows under titles, before they are Markdown or HTML. */
export interface ReportTable {
  readonly columns: readonly ColumnHead[];
  /** The rows of each entry; an entry is shown as a whole, and the first cell of its first row names it. */
  readonly entries: readonly (readonly TableRow[])[];
}

interface Column<Row> extends ColumnHead {
  readonly cell: (row: Row) => Phrase;
}

function left<Row>(title: string, cell: (row: Row) => Phrase, obvious = false): Column<Row> {
  return { title, align: 'left', obvious, cell };
}

function right<Row>(title: string, figure: (row: Row) => string): Column<Row> {
  return { title, align: 'right', obvious: false, cell: (row) => [{ text: figure(row) }] };
}

function table<Row>(
  columns: readonly Column<Row>[],
  entries: readonly (readonly Row[])[],
  metricOfRow: (row: Row) => MetricVerdict | undefined = () => undefined,
): ReportTable {
  return {
    columns: columns.map(({ title, align, obvious }) => ({ title, align, obvious })),
    entries: entries.map((rows) =>
      rows.map((row) => {
        const metric = metricOfRow(row);
        return { cells: columns.map(({ cell }) => cell(row)), ...(metric === undefined ? {} : { metric }) };
      }),
    ),
  };
}

/** A cell's name where people read it, to be copied as it stands. */
export function cellLiteral(cell: { readonly scenario: string; readonly load: string }): PhrasePart {
  return { literal: cellName(cell), longest: 2 * longestName + 1 };
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
): ReportTable {
  const entries = cells.map((cell) =>
    metricsOf(cell).map((metric, index): MetricRow => ({ cell, metric, first: index === 0 })),
  );
  return table<MetricRow>(
    [
      left('cell', ({ cell, first }) => (first ? [cellLiteral(cell), `, ${formatCount(cell.vus)} VUs`] : [])),
      left('metric', ({ metric }) => [metricTitles[metric.metric]], true),
      right('base', ({ metric }) => formatMetricValue(metric.metric, metric.base)),
      right('head', ({ metric }) => formatMetricValue(metric.metric, metric.head)),
      right(
        'change [95%]',
        ({ metric }) => `${formatMetricChange(metric.metric, metric.change)} ${formatMetricInterval(metric)}`,
      ),
      right('limit', ({ metric }) => formatMetricChange(metric.metric, metric.limit)),
      right('sees', ({ metric }) => formatVisible(metric)),
      left(
        'outcome',
        ({ metric }) => {
          const word = metricWord(metric);
          return [metric.outcome === 'regression' ? { strong: word } : word];
        },
        true,
      ),
    ],
    entries,
    ({ metric }) => metric,
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
export function comparedTable(cells: readonly CellVerdict[]): ReportTable {
  return table<CellVerdict>(
    [
      left('cell', (cell) => [cellLiteral(cell)]),
      right('VUs', ({ vus }) => formatCount(vus)),
      ...metricColumns('p95'),
      ...metricColumns('tps'),
      right('errors', ({ head }) => formatShare(head.errorRate)),
    ],
    cells.map((cell) => [cell]),
  );
}

/** One row a cell: what was measured of head, compared or not. */
export function measuredTable(cells: readonly CellVerdict[]): ReportTable {
  return table<CellVerdict>(
    [
      left('cell', (cell) => [cellLiteral(cell)]),
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
export function endpointTable(endpoints: readonly EndpointChange[]): ReportTable {
  const withErrors = endpoints.some(({ base, head }) => base.errorRate > 0 || head.errorRate > 0);
  const withGrowth = endpoints.some(({ shareOfAddedTime }) => shareOfAddedTime > 0);
  return table<EndpointChange>(
    [
      left('endpoint', ({ name }) => [{ literal: name }]),
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
    endpoints.map((endpoint) => [endpoint]),
  );
}

interface Of<Item> {
  readonly cell: CellVerdict;
  readonly item: Item;
  readonly first: boolean;
}

function byCell<Item>(cells: readonly CellVerdict[], itemsOf: (cell: CellVerdict) => readonly Item[]) {
  return cells
    .map((cell) => itemsOf(cell).map((item, index): Of<Item> => ({ cell, item, first: index === 0 })))
    .filter((rows) => rows.length > 0);
}

function named<Item>(): Column<Of<Item>> {
  return left('cell', ({ cell, first }) => (first ? [cellLiteral(cell)] : []));
}

/** One row a signal of a cell, moved or not. */
export function signalTable(cells: readonly CellVerdict[]): ReportTable {
  return table<Of<SignalChange>>(
    [
      named(),
      left('cost or gauge', ({ item }) => [{ text: item.title }]),
      right('base', ({ item }) => formatAmount(item.base, item.unit)),
      right('head', ({ item }) => formatAmount(item.head, item.unit)),
      right('change', ({ item }) => (item.change === null ? 'from 0' : formatChange(item.change))),
      left('moved', ({ item }) => [item.moved ? { strong: 'grew' } : 'no']),
    ],
    byCell(cells, ({ signals }) => signals),
  );
}

/** One row an objective of a cell, met or missed. */
export function objectiveTable(cells: readonly CellVerdict[]): ReportTable {
  return table<Of<ObjectiveResult>>(
    [
      named(),
      left('objective', ({ item }) => [{ text: item.objective }]),
      right('measured', ({ item }) => formatObjectiveValue(item)),
      left('met', ({ item }) => [item.met ? 'met' : { strong: 'missed' }]),
    ],
    byCell(cells, ({ objectives }) => objectives),
  );
}
