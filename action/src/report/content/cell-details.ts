import { cellName } from '../../model/run.ts';
import type { CellVerdict, EndpointChange, MetricVerdict } from '../../model/verdict.ts';
import {
  formatChange,
  formatCount,
  formatMs,
  formatMsChange,
  formatMsFigure,
  formatShare,
} from '../format/number.ts';
import type { Paint } from '../format/paint.ts';
import { renderTable, type TableCell, truncate, wrap } from '../format/text-layout.ts';
import { cellState, countOf, stateStyles } from './cell-state.ts';
import { grew } from './endpoint.ts';
import {
  formatMetricChange,
  formatMetricInterval,
  formatMetricMove,
  formatVisible,
  metricTitles,
  metricWord,
} from './metric.ts';
import { movedSignals, signalMove, signalSentence } from './signal.ts';

const mostEndpoints = 5;

function metricRow(metric: MetricVerdict): TableCell[] {
  const style = metric.outcome === 'regression' ? 'red' : metric.improved ? 'green' : undefined;
  return [
    { text: metricTitles[metric.metric] },
    { text: formatMetricMove(metric) },
    { text: formatMetricChange(metric.metric, metric.change), ...(style === undefined ? {} : { style }) },
    { text: formatMetricInterval(metric) },
    { text: formatMetricChange(metric.metric, metric.limit) },
    { text: formatVisible(metric).replace(/^[+-]/, '') },
    { text: metricWord(metric) },
  ];
}

function endpointLines(endpoints: readonly EndpointChange[], width: number, paint: Paint): string[] {
  const grown = endpoints.filter(grew);
  if (grown.length === 0) return [];
  const withErrors = grown.some(({ base, head }) => head.errorRate > base.errorRate);
  const hidden = grown.length - mostEndpoints;
  return [
    ...renderTable(
      {
        columns: [
          { title: 'endpoint', align: 'left' },
          { title: 'mean', align: 'right' },
          { title: 'change', align: 'right' },
          { title: 'p95', align: 'right' },
          ...(withErrors ? [{ title: 'errors', align: 'right' } as const] : []),
          { title: 'by itself', align: 'right' },
          // A narrow screen has no room for both.
          ...(withErrors ? [] : [{ title: 'added time', align: 'right' } as const]),
        ],
        rows: grown
          .slice(0, mostEndpoints)
          .map(({ name, base, head, shareOfAddedTime, beyondSharedMs }) => [
            { text: name },
            { text: `${formatMsFigure(base.meanMs)} → ${formatMs(head.meanMs)}` },
            { text: formatChange(head.meanMs / base.meanMs - 1) },
            { text: `${formatMsFigure(base.p95Ms)} → ${formatMs(head.p95Ms)}` },
            ...(withErrors
              ? [{ text: `${formatShare(base.errorRate)} → ${formatShare(head.errorRate)}` }]
              : []),
            { text: formatMsChange(beyondSharedMs) },
            ...(withErrors ? [] : [{ text: formatShare(shareOfAddedTime) }]),
          ]),
      },
      width,
      paint,
      '  ',
    ),
    ...(hidden > 0 ? [paint('dim', `  and ${countOf(hidden, 'more endpoint')}`)] : []),
  ];
}

/**
 * Everything about one cell: its metrics with what they were held to, the endpoints that grew, the costs that moved.
 * The hints of the signals in `told` were given before.
 */
export function cellDetails(
  cell: CellVerdict,
  told: ReadonlySet<string>,
  width: number,
  paint: Paint,
): string[] {
  const state = cellState(cell);
  const { blocks, requests, generatorCpuShare } = cell.head;
  const facts = `${formatCount(cell.vus)} VUs, ${countOf(blocks, 'block')}, ${formatCount(requests)} requests, generator ${formatShare(generatorCpuShare)} of the CPU`;
  const style = stateStyles.get(state) ?? 'bold';
  return [
    `${paint('bold', truncate(cellName(cell), width - state.length - 2))}  ${paint(style, state)}`,
    ...wrap(facts, width, '  '),
    ...renderTable(
      {
        columns: [
          { title: '', align: 'left' },
          { title: 'base → head', align: 'right' },
          { title: 'change', align: 'right' },
          { title: '[95%]', align: 'right', gap: 1 },
          { title: 'limit', align: 'right' },
          { title: 'sees', align: 'right' },
          { title: '', align: 'left' },
        ],
        rows: cell.metrics.map(metricRow),
      },
      width,
      paint,
      '  ',
    ),
    ...endpointLines(cell.endpoints, width, paint),
    ...movedSignals(cell).flatMap((signal) =>
      wrap(told.has(signal.name) ? signalMove(signal) : signalSentence(signal), width, '  ', '    '),
    ),
  ];
}
