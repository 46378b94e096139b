import type { CourseTrend } from '../../model/course.ts';
import { isRatioMetric, type MetricName, metricNames, metrics } from '../../model/metric.ts';
import { cellName } from '../../model/run.ts';
import type {
  CellVerdict,
  EndpointChange,
  GroupVerdict,
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
import { longestCellName, type Phrase, type PhrasePart } from '../format/phrase.ts';
import { failedSignals, formatCostLimit, formatGrowth } from './costs.ts';
import { perMinuteText, trendLevel, trendTitle } from './course.ts';
import { changedEndpoints, formatObjectiveValue } from './findings.ts';
import { groupName } from './groups.ts';
import {
  formatChangeInterval,
  formatDetectable,
  formatMetricChange,
  formatMove,
  metricOf,
  metricWord,
} from './metric.ts';
import type { ReportColumn, Row, Section } from './report-parts.ts';

export type Table = Pick<Section<Phrase>, 'columns' | 'entries' | 'grouped'>;

type Column<Item> = ReportColumn & { readonly cell: (item: Item) => Phrase };
type ColumnOptions = Pick<ReportColumn, 'untitled' | 'optional'>;

function left<Item>(title: string, cell: (item: Item) => Phrase, options: ColumnOptions = {}): Column<Item> {
  return { title, align: 'left', ...options, cell };
}

function right<Item>(
  title: string,
  figure: (item: Item) => string,
  options: ColumnOptions = {},
): Column<Item> {
  return { title, align: 'right', ...options, cell: (item) => [{ text: figure(item) }] };
}

const optional = { optional: true } as const;

/** A cell's name in a form that the reader can copy. */
export function cellLiteral(cell: { readonly scenario: string; readonly load: string }): PhrasePart {
  return { literal: cellName(cell), longest: longestCellName };
}

const ofCell = { heading: (cell: CellVerdict): Phrase => [cellLiteral(cell)] };

/** One row per cell. */
function cellTable(cells: readonly CellVerdict[], columns: readonly Column<CellVerdict>[]): Table {
  const all = [left<CellVerdict>('cell', (cell) => [cellLiteral(cell)]), ...columns];
  return {
    columns: all.map(({ cell, ...column }) => column),
    entries: cells.map((one) => [{ cells: all.map(({ cell }) => cell(one)) }]),
  };
}

/** One entry per cell, with a row for each of its items; the first row has the heading. */
function itemTable<Of, Item>(
  subjects: readonly Of[],
  itemsOf: (subject: Of) => readonly Item[],
  columns: readonly Column<Item>[],
  more: {
    readonly heading: (subject: Of) => Phrase;
    readonly flags?: (item: Item) => Pick<Row<Phrase>, 'metric' | 'failed'>;
  },
): Table {
  const { heading, flags = () => ({}) } = more;
  const entries = subjects.map((one) =>
    itemsOf(one).map((item, index) => ({
      cells: [index === 0 ? heading(one) : [], ...columns.map(({ cell }) => cell(item))],
      ...flags(item),
    })),
  );
  return {
    columns: [{ title: 'cell', align: 'left' }, ...columns.map(({ cell, ...column }) => column)],
    entries: entries.filter((rows) => rows.length > 0),
    grouped: true,
  };
}

/** What metrics are judged of: a cell, or several cells together. */
interface Subject {
  readonly heading: Phrase;
  /** Counted costs that fail it. */
  readonly costs: readonly SignalChange[];
  readonly metrics: readonly MetricVerdict[];
}

/** How hard the cell is loaded, in words. */
export function loadOf({ vus, arrival }: Pick<CellVerdict, 'vus' | 'arrival'>): string {
  const users = `${formatCount(vus)} VUs`;
  return arrival === undefined ? users : `${formatTps(arrival)} passes/s by up to ${users}`;
}

export function cellSubject(
  cell: CellVerdict,
  metricsOf: (cell: CellVerdict) => readonly MetricVerdict[],
): Subject {
  return {
    heading: [cellLiteral(cell), `, ${loadOf(cell)}`],
    costs: failedSignals(cell),
    metrics: metricsOf(cell),
  };
}

export function groupSubject(group: GroupVerdict): Subject {
  return { heading: [groupName(group)], costs: [], metrics: group.metrics };
}

/**
 * One row per metric: values, change with interval, limit, smallest detectable change and outcome. Counted costs that
 * fail a cell have rows of their own above them.
 */
export function metricTable(subjects: readonly Subject[]): Table {
  const show =
    (metric: (item: MetricVerdict) => string, cost: (item: SignalChange) => string) =>
    (item: MetricVerdict | SignalChange) =>
      'metric' in item ? metric(item) : cost(item);
  const title = show(
    ({ metric }) => metrics[metric].title,
    (cost) => cost.title,
  );
  const columns: Column<MetricVerdict | SignalChange>[] = [
    left('metric', (item) => [{ text: title(item) }], { untitled: true }),
    right(
      'base → head',
      show(
        ({ metric, base, head }) => formatMove(metric, base, head),
        ({ base, head, unit }) => `${formatAmount(base, unit)} → ${formatAmount(head, unit)}`,
      ),
    ),
    right('change [95%]', show(formatChangeInterval, formatGrowth)),
    right(
      'limit',
      show(({ metric, limit }) => formatMetricChange(metric, limit), formatCostLimit),
    ),
    right(
      'detects',
      show(formatDetectable, () => ''),
    ),
    left(
      'outcome',
      (item) => {
        const word = 'metric' in item ? metricWord(item) : 'regression';
        return [word === 'regression' ? { strong: word } : word];
      },
      { untitled: true, optional: true },
    ),
  ];
  return itemTable(subjects, ({ costs, metrics: own }) => [...costs, ...own], columns, {
    heading: ({ heading }) => heading,
    flags: (item) => ('metric' in item ? { metric: item } : { failed: true }),
  });
}

/** Folded tables have room for two metrics; CPU time is shown where it changed. */
function isPromised(name: MetricName): boolean {
  return isRatioMetric(name) && metrics[name].promised;
}

function metricColumns(name: MetricName): Column<CellVerdict>[] {
  const show = (format: (metric: MetricVerdict) => string) => (cell: CellVerdict) => {
    const metric = metricOf(cell, name);
    return metric === undefined ? '' : format(metric);
  };
  return [
    right(
      `${metrics[name].title} base → head`,
      show(({ base, head }) => formatMove(name, base, head)),
    ),
    right(
      'change',
      show(({ change }) => formatMetricChange(name, change)),
    ),
    right('detects', show(formatDetectable), optional),
  ];
}

/** One row per compared cell. */
export function comparedTable(cells: readonly CellVerdict[]): Table {
  return cellTable(cells, [
    right('VUs', ({ vus }) => formatCount(vus), optional),
    ...metricNames
      .filter((name) => isPromised(name) && cells.some((cell) => metricOf(cell, name) !== undefined))
      .flatMap(metricColumns),
    right('errors', ({ head }) => formatShare(head.errorRate)),
  ]);
}

/** One row per cell: what was measured of head, whether or not it was compared. */
export function measuredTable(cells: readonly CellVerdict[]): Table {
  return cellTable(cells, [
    right('VUs', ({ vus }) => formatCount(vus)),
    right('TPS', ({ head }) => formatTps(head.tps)),
    right('mean', ({ head }) => formatMs(head.meanMs)),
    right('p95', ({ head }) => formatMs(head.p95Ms)),
    right('p99', ({ head }) => formatMs(head.p99Ms)),
    right('errors', ({ head }) => formatShare(head.errorRate)),
    right('requests', ({ head }) => formatCount(head.requests), optional),
    right('blocks', ({ head }) => formatCount(head.blocks), optional),
    right('generator CPU', ({ head }) => formatShare(head.generatorCpuShare), optional),
  ]);
}

/** One row per endpoint behind a cell's change, and one that counts those left out. */
export function endpointTable(cells: readonly CellVerdict[], most: number): Table {
  const all = cells.flatMap(changedEndpoints);
  const withErrors = all.some(({ base, head }) => base.errorRate > 0 || head.errorRate > 0);
  const withGrowth = all.some(({ shareOfAddedTime }) => shareOfAddedTime > 0);
  const figure = (format: (endpoint: EndpointChange) => string) => (item: EndpointChange | number) =>
    typeof item === 'number' ? '' : format(item);
  const columns: Column<EndpointChange | number>[] = [
    left('endpoint', (item) => [typeof item === 'number' ? `and ${item} more` : { literal: item.name }]),
    right(
      'mean base → head',
      figure(({ base, head }) => `${formatMsFigure(base.meanMs)} → ${formatMs(head.meanMs)}`),
    ),
    right(
      'raw change',
      figure(({ base, head }) => formatChange(head.meanMs / base.meanMs - 1)),
    ),
    right(
      'p95 base → head',
      figure(({ base, head }) => `${formatMsFigure(base.p95Ms)} → ${formatMs(head.p95Ms)}`),
    ),
  ];
  if (withErrors) {
    const errors = ({ base, head }: EndpointChange) =>
      `${formatShare(base.errorRate)} → ${formatShare(head.errorRate)}`;
    columns.push(right('errors base → head', figure(errors)));
  }
  if (withGrowth) {
    columns.push(
      right(
        'own slowdown',
        figure(({ beyondSharedMs }) => formatMsChange(beyondSharedMs)),
        optional,
      ),
      right(
        'of added time',
        figure(({ shareOfAddedTime }) => formatShare(shareOfAddedTime)),
        optional,
      ),
    );
  }
  const itemsOf = (cell: CellVerdict) => {
    const endpoints = changedEndpoints(cell);
    const hidden = endpoints.length - most;
    return [...endpoints.slice(0, most), ...(hidden > 0 ? [hidden] : [])];
  };
  return itemTable(cells, itemsOf, columns, ofCell);
}

/** One row per signal of a cell, moved or not. */
export function signalTable(cells: readonly CellVerdict[]): Table {
  return itemTable<CellVerdict, SignalChange>(
    cells,
    ({ signals }) => signals,
    [
      left('cost or gauge', ({ title }) => [{ text: title }]),
      right('base', ({ base, unit }) => formatAmount(base, unit)),
      right('head', ({ head, unit }) => formatAmount(head, unit)),
      right('change', formatGrowth),
      left('grew', ({ moved, failed, worse }) => {
        const yes = worse === 'lower' ? 'fell' : 'yes';
        return [moved ? { strong: failed ? 'regression' : yes } : 'no'];
      }),
    ],
    ofCell,
  );
}

/** One row per objective of a cell, met or missed. */
export function objectiveTable(cells: readonly CellVerdict[]): Table {
  return itemTable<CellVerdict, ObjectiveResult>(
    cells,
    ({ objectives }) => objectives,
    [
      left('objective', ({ objective }) => [{ text: objective }]),
      right('measured', formatObjectiveValue),
      left('result', ({ met }) => [met ? 'met' : { strong: 'missed' }]),
    ],
    ofCell,
  );
}

/** One row per quantity that was followed over the time of a long load. */
export function courseTable(cells: readonly CellVerdict[]): Table {
  return itemTable<CellVerdict, CourseTrend>(
    cells,
    ({ course }) => course?.trends ?? [],
    [
      left('over time', (trend) => [{ text: trendTitle(trend) }]),
      right('in the middle', trendLevel),
      right('per minute [95%]', perMinuteText),
    ],
    ofCell,
  );
}
