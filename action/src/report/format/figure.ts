import { type MetricName, metrics } from '../../model/metric.ts';
import { formatMs, formatShare, formatTps } from './number.ts';

/** A metric's value with its unit, as tables and charts have it. */
export function formatFigure(name: MetricName, value: number): string {
  switch (metrics[name].unit) {
    case 'ms':
      return formatMs(value);
    case 'perSecond':
      return formatTps(value);
    case 'share':
      return formatShare(value);
  }
}
