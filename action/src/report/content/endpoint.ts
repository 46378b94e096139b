import { type EndpointMetricName, isRatioMetric } from '../../model/metric.ts';
import type { CellVerdict, EndpointChange } from '../../model/verdict.ts';
import { cellState } from './cell-state.ts';
import { formatMetricChange, formatMove, metricTitle } from './metric.ts';

function savedMs({ base, head }: EndpointChange): number {
  return base.meanMs - head.meanMs;
}

/** The endpoints behind the cell's change: those that got slower or failed more, or faster ones if it improved. */
export function changedEndpoints(cell: CellVerdict): readonly EndpointChange[] {
  return cellState(cell) === 'improved'
    ? cell.endpoints.filter((endpoint) => savedMs(endpoint) > 0).toSorted((a, b) => savedMs(b) - savedMs(a))
    : cell.endpoints.filter(
        ({ base, head, shareOfAddedTime }) => shareOfAddedTime > 0 || head.errorRate > base.errorRate,
      );
}

/** Endpoints that got worse while their cell did not regress. */
export function worseEndpoints(cell: CellVerdict): readonly EndpointChange[] {
  return cell.endpoints.filter(({ worse }) => worse.length > 0);
}

const fields: Readonly<Record<EndpointMetricName, keyof EndpointChange['head']>> = {
  p95: 'p95Ms',
  errorRate: 'errorRate',
};

/** `plan-sort p95 20.1 → 98.0 ms, +388%`. */
export function worseEndpointText({ name, base, head, worse }: EndpointChange): string {
  const moves = worse.map((metric) => {
    const [before, after] = [base[fields[metric]], head[fields[metric]]];
    const change = isRatioMetric(metric) ? after / before - 1 : after - before;
    return `${metricTitle(metric)} ${formatMove(metric, before, after)}, ${formatMetricChange(metric, change)}`;
  });
  return `${name} ${moves.join('; ')}`;
}
