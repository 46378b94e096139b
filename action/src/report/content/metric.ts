import type { CellVerdict, MetricName, MetricVerdict } from '../../model/verdict.ts';
import {
  formatChange,
  formatInterval,
  formatMs,
  formatMsFigure,
  formatPoints,
  formatShare,
  formatTps,
} from '../format/number.ts';

export const metricTitles: Readonly<Record<MetricName, string>> = {
  p95: 'p95',
  tps: 'TPS',
  errorRate: 'errors',
};

export function metricOf(cell: CellVerdict, name: MetricName): MetricVerdict | undefined {
  return cell.metrics.find(({ metric }) => metric === name);
}

export function formatMetricValue(metric: MetricName, value: number): string {
  return { p95: formatMs, tps: formatTps, errorRate: formatShare }[metric](value);
}

/** `188 → 278 ms`, `1,034 → 842`, `0% → 2.1%`. */
export function formatMetricMove({ metric, base, head }: MetricVerdict): string {
  const from = metric === 'p95' ? formatMsFigure(base) : formatMetricValue(metric, base);
  return `${from} → ${formatMetricValue(metric, head)}`;
}

/** A change, limit or smallest visible change of the metric: `+48%`, `+2.1 pp`. */
export function formatMetricChange(metric: MetricName, change: number): string {
  return metric === 'errorRate' ? formatPoints(change) : formatChange(change);
}

export function formatMetricInterval({ interval }: MetricVerdict): string {
  return formatInterval(interval.low, interval.high);
}

/** The smallest worsening that would have been a regression, signed like the limit. */
export function formatVisible({ metric, smallestVisible }: MetricVerdict): string {
  return formatMetricChange(metric, metric === 'tps' ? -smallestVisible : smallestVisible);
}

/** `p95 +48% [+31, +66]`, `errors 0% → 2.1%, +2.1 pp [+1.8, +2.4]`. */
export function formatShift(verdict: MetricVerdict): string {
  const { metric, change } = verdict;
  const move = metric === 'errorRate' ? `${formatMetricMove(verdict)}, ` : '';
  return `${metricTitles[metric]} ${move}${formatMetricChange(metric, change)} ${formatMetricInterval(verdict)}`;
}

/** `limit +25%`, `limit -33% by the floor`. */
export function formatLimit({ metric, limit, limitFrom }: MetricVerdict): string {
  return `limit ${formatMetricChange(metric, limit)}${limitFrom === 'floor' ? ' by the floor' : ''}`;
}

/** What a metric came to, in words: within noise is said, not coloured. */
export function metricWord({ outcome, belowFloor, improved, provedWorse }: MetricVerdict): string {
  if (outcome === 'regression') return 'regression';
  if (belowFloor) return 'too small to count';
  if (improved) return 'improved';
  if (outcome === 'inconclusive') return 'cannot tell';
  return provedWorse ? 'worse, within the limit' : 'within noise';
}

/** How many times its limit a metric moved, for ordering what is worst. */
function excess({ metric, change, limit }: MetricVerdict): number {
  const worse = metric === 'tps' ? -change : change;
  return limit === 0 ? worse : worse / Math.abs(limit);
}

/** The metrics that were called a regression, worst first. */
export function regressedMetrics(cell: CellVerdict): readonly MetricVerdict[] {
  return cell.metrics
    .filter(({ outcome }) => outcome === 'regression')
    .toSorted((a, b) => excess(b) - excess(a));
}

/** Cells by how far beyond its limit their worst metric is, worst first. */
export function byExcess(a: CellVerdict, b: CellVerdict): number {
  const worst = (cell: CellVerdict) => Math.max(...cell.metrics.map(excess), 0);
  return worst(b) - worst(a);
}
