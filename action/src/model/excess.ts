import { worsening } from './metric.ts';
import type { CellVerdict, MetricVerdict, SignalChange } from './verdict.ts';

/** The change in multiples of its limit, positive if worse. */
export function excess({ metric, change, limit }: MetricVerdict): number {
  const worse = worsening(metric, change);
  return limit === 0 ? worse : worse / Math.abs(limit);
}

/** How much worse a cost became, in its unit; negative if it became better. */
export function costWorsening({ base, head, worse }: SignalChange): number {
  return worse === 'lower' ? base - head : head - base;
}

/** The same relative to base; null if base is 0. */
export function relativeCostWorsening({ change, worse }: SignalChange): number | null {
  return change === null || worse !== 'lower' ? change : -change;
}

/** The worsening of a cost in multiples of its limit. */
function costExcess(signal: SignalChange): number {
  return costWorsening(signal) / (signal.limit === 0 ? 1 : signal.limit);
}

/** Orders cells by how far their worst metric or failed cost is beyond its limit, worst first. */
export function byExcess(a: CellVerdict, b: CellVerdict): number {
  const worst = ({ metrics: all, signals }: CellVerdict) =>
    Math.max(...all.map(excess), ...signals.filter(({ failed }) => failed).map(costExcess), 0);
  return worst(b) - worst(a);
}
