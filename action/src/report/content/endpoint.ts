import type { CellVerdict, EndpointChange } from '../../model/verdict.ts';
import { cellState } from './cell-state.ts';

/** True if the endpoint became slower or less correct. */
export function grew({ base, head, shareOfAddedTime }: EndpointChange): boolean {
  return shareOfAddedTime > 0 || head.errorRate > base.errorRate;
}

function savedMs({ base, head }: EndpointChange): number {
  return base.meanMs - head.meanMs;
}

/** The endpoints that carry the cell's change: those that grew, or, if it improved, those that became faster. */
export function tellingEndpoints(cell: CellVerdict): readonly EndpointChange[] {
  return cellState(cell) === 'improved'
    ? cell.endpoints.filter((endpoint) => savedMs(endpoint) > 0).toSorted((a, b) => savedMs(b) - savedMs(a))
    : cell.endpoints.filter(grew);
}
