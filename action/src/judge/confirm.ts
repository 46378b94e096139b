import { worsening } from '../model/metric.ts';
import { cellName } from '../model/run.ts';
import type { CellVerdict, MetricVerdict, Verdict } from '../model/verdict.ts';
import { checkOutcome } from './outcome.ts';

/** True if the estimate alone is beyond the limit, however uncertain it is. */
function isBeyond({ metric, change, limit }: MetricVerdict): boolean {
  return worsening(metric, change) > Math.abs(limit);
}

function looksWorse({ outcome, metrics }: CellVerdict): boolean {
  return outcome === 'regression' || metrics.some(isBeyond);
}

/**
 * Names of the cells that look worse than the stored baseline. Between machines, and between boots, unchanged code
 * differs by more than on one machine at one time, so these are worth measuring beside base. None if nothing was
 * compared, or nothing can be trusted.
 */
export function suspectCells(verdict: Verdict): readonly string[] {
  if (verdict.comparison.kind !== 'stored' || verdict.invalid.length > 0) return [];
  return verdict.cells.filter(looksWorse).map(cellName);
}

/** True if the second look's own estimate is beyond the limit too for a metric that regressed in the first. */
function bearsOut(beside: CellVerdict, screened: CellVerdict): boolean {
  return screened.metrics
    .filter(({ outcome }) => outcome === 'regression')
    .some(({ metric }) => beside.metrics.some((own) => own.metric === metric && isBeyond(own)));
}

/**
 * What the cell comes to after both looks. The second decides, since it alone does not take another hour or host for
 * the change; but where it points the same way without being able to prove it, the first one's proof stands.
 */
function decide(screened: CellVerdict, beside: CellVerdict | undefined): CellVerdict {
  // One without metrics compared nothing.
  if (beside === undefined || beside.metrics.length === 0) return screened;
  return beside.outcome !== 'regression' && bearsOut(beside, screened) ? screened : beside;
}

/** The screening, with the cells that were measured side by side decided by that measurement. */
export function confirm(screened: Verdict, beside: Verdict): Verdict {
  if (screened.comparison.kind !== 'stored' || beside.comparison.kind !== 'side-by-side') return screened;
  const looked = new Map(beside.cells.map((cell): [string, CellVerdict] => [cellName(cell), cell]));
  const cells = screened.cells.map((cell) => decide(cell, looked.get(cellName(cell))));
  return {
    ...screened,
    outcome: checkOutcome(screened.invalid, cells, screened.comparison),
    comparison: {
      ...screened.comparison,
      confirmed: {
        baseCommit: beside.comparison.baseCommit,
        cells: beside.cells.map((cell) => ({ name: cellName(cell), outcome: cell.outcome })),
      },
    },
    cells,
    createdAt: beside.createdAt,
    seconds: beside.seconds,
  };
}

/**
 * The measurement beside the base commit in place of stored runs none of which can be compared with. One that cannot
 * be trusted says why, and decides nothing.
 */
export function standIn(screened: Verdict, beside: Verdict): Verdict {
  if (screened.comparison.kind !== 'none' || beside.comparison.kind !== 'side-by-side') return screened;
  const { mismatches } = screened.comparison;
  const { runId, code } = screened;
  return { ...beside, runId, code, comparison: { ...beside.comparison, mismatches } };
}
