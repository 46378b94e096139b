import { worsening } from './metric.ts';
import type { CellVerdict, MetricVerdict, SignalChange } from './verdict.ts';

/** The change in multiples of its limit, positive if worse. */
export function excess({ metric, change, limit }: MetricVerdict): number {
  const worse = worsening(metric, change);
  return limit === 0 ? worse : worse / Math.abs(limit);
}

/** The growth of a cost in multiples of its limit. */
function costExcess({ base, head, limit }: SignalChange): number {
  return limit === 0 ? head - base : (head - base) / limit;
}

/** Orders cells by how far their worst metric or failed cost is beyond its limit, worst first. */
export function byExcess(a: CellVerdict, b: CellVerdict): number {
  const worst = ({ metrics: all, signals }: CellVerdict) =>
    Math.max(...all.map(excess), ...signals.filter(({ failed }) => failed).map(costExcess), 0);
  return worst(b) - worst(a);
}
