import { excess } from '../../model/excess.ts';
import { isRatioMetric, type MetricName, type MetricUnit, metrics, worsening } from '../../model/metric.ts';
import type { CellVerdict, MetricVerdict } from '../../model/verdict.ts';
import {
  formatChange,
  formatInterval,
  formatMs,
  formatMsFigure,
  formatPoints,
  formatShare,
  formatTps,
} from '../format/number.ts';

const formats: Readonly<Record<MetricUnit, (value: number) => string>> = {
  ms: formatMs,
  perSecond: formatTps,
  share: formatShare,
};

export function metricOf(cell: CellVerdict, name: MetricName): MetricVerdict | undefined {
  return cell.metrics.find(({ metric }) => metric === name);
}

/** `278 ms`, `842`, `2.1%`. */
export function formatValue(name: MetricName, value: number): string {
  return formats[metrics[name].unit](value);
}

/** `188 → 278 ms`, `1,034 → 842`, `0% → 2.1%`. */
export function formatMove(name: MetricName, base: number, head: number): string {
  const { unit } = metrics[name];
  const from = unit === 'ms' ? formatMsFigure(base) : formats[unit](base);
  return `${from} → ${formats[unit](head)}`;
}

/** A change or limit of the metric: `+48%`, `+2.1 pp`. */
export function formatMetricChange(name: MetricName, change: number): string {
  return metrics[name].scale === 'share' ? formatPoints(change) : formatChange(change);
}

/** `+48% [+31, +66]`. */
export function formatChangeInterval({ metric, change, interval }: MetricVerdict): string {
  return `${formatMetricChange(metric, change)} ${formatInterval(interval.low, interval.high)}`;
}

/** The smallest worsening that would have been noticed, signed like the limit. */
export function formatDetectable({ metric, smallestVisible }: MetricVerdict): string {
  return formatMetricChange(metric, worsening(metric, smallestVisible));
}

/** `p95 +0.2% [-22, +29], limit +25%; only changes of 67% or more were sure to show`. */
export function formatBlindness(verdict: MetricVerdict): string {
  const size = formatDetectable(verdict).replace(/^[+-]/, '');
  return `${formatFinding(verdict)}; only changes of ${size} or more were sure to show`;
}

/** `p95 +48% [+31, +66]`, `errors 0% → 2.1%, +2.1 pp [+1.8, +2.4]`. */
export function formatShift(verdict: MetricVerdict): string {
  const { metric, base, head } = verdict;
  const move = metrics[metric].scale === 'share' ? `${formatMove(metric, base, head)}, ` : '';
  return `${metrics[metric].title} ${move}${formatChangeInterval(verdict)}`;
}

/** `limit +25%`, `limit -33%, set by floors.meanMs`, `more than half of the limit +25%`. */
export function formatLimit(verdict: MetricVerdict): string {
  const { metric, limit, limitFrom, outcome } = verdict;
  const isWithin = ['regression', 'accepted', 'undecided'].includes(outcome) && excess(verdict) < 1;
  return [
    `${isWithin ? 'more than half of the limit' : 'limit'} ${formatMetricChange(metric, limit)}`,
    ...(limitFrom === 'floor' && isRatioMetric(metric)
      ? [`set by floors.${metrics[metric].floor.setting}`]
      : []),
  ].join(', ');
}

/** `p95 +48% [+31, +66], limit +25%`. */
export function formatFinding(verdict: MetricVerdict): string {
  return `${formatShift(verdict)}, ${formatLimit(verdict)}`;
}

/** The result of a metric in words, so that no reader depends on colours. */
export function metricWord(verdict: MetricVerdict): string {
  const { outcome, belowFloor, improved } = verdict;
  if (outcome === 'regression' || outcome === 'accepted' || outcome === 'undecided') return outcome;
  if (belowFloor) return 'below floor';
  if (improved) return 'improved';
  if (outcome === 'coarse') return 'coarse';
  if (isWorseWithinLimit(verdict)) return 'within limit';
  return excess(verdict) > 1 ? 'not proved' : 'unchanged';
}

/** True for a worsening beyond chance that is no larger than the limit. */
export function isWorseWithinLimit(verdict: MetricVerdict): boolean {
  return verdict.provedWorse && excess(verdict) <= 1;
}

/** The metrics with a regression: what users feel before CPU time, then the worst first. */
export function regressedMetrics(
  cell: CellVerdict,
  as: 'regression' | 'accepted' = 'regression',
): readonly MetricVerdict[] {
  const isCost = ({ metric }: MetricVerdict) => Number(metrics[metric].family === 'cpu');
  return cell.metrics
    .filter(({ outcome }) => outcome === as)
    .toSorted((a, b) => isCost(a) - isCost(b) || excess(b) - excess(a));
}
