import type { CellVerdict, EndpointChange } from '../../model/verdict.ts';
import { formatChange, formatMs, formatMsFigure, formatPoints, formatShare } from '../format/number.ts';

/** Endpoints that are worse by themselves, while their cell does not regress. */
export function worseEndpoints(cell: CellVerdict): readonly EndpointChange[] {
  return cell.endpoints.filter(({ worse }) => worse.length > 0);
}

/** `plan-sort p95 20.1 → 98.0 ms, +388%`. */
export function worseEndpointText({ name, base, head, worse }: EndpointChange): string {
  const moves = worse.map((metric) =>
    metric === 'errorRate'
      ? `errors ${formatShare(base.errorRate)} → ${formatShare(head.errorRate)}, ${formatPoints(head.errorRate - base.errorRate)}`
      : `p95 ${formatMsFigure(base.p95Ms)} → ${formatMs(head.p95Ms)}, ${formatChange(head.p95Ms / base.p95Ms - 1)}`,
  );
  return `${name} ${moves.join('; ')}`;
}
