import { worsening } from '../model/metric.ts';
import { cellName } from '../model/run.ts';
import type { CellVerdict, MetricVerdict, Verdict } from '../model/verdict.ts';
import { checkOutcome } from './outcome.ts';

/** True if the estimate alone exceeds the limit, however uncertain it is. */
function exceedsLimit({ metric, change, limit }: MetricVerdict): boolean {
  return worsening(metric, change) > Math.abs(limit);
}

/**
 * Names of the cells that look worse than the stored baseline. Unchanged code differs more between machines and boots
 * than on one machine at one time, so the gate re-measures these cells against base. None if nothing was compared or
 * the run is invalid.
 */
export function suspectCells({ comparison, invalid, cells }: Verdict): readonly string[] {
  if (comparison.kind !== 'stored' || invalid.length > 0) return [];
  return cells
    .filter(({ outcome, metrics }) => outcome === 'regression' || metrics.some(exceedsLimit))
    .map(cellName);
}

/** True if the re-measurement's estimate also exceeds the limit of a metric that regressed against the stored runs. */
function pointsTheSameWay(again: CellVerdict, screened: CellVerdict): boolean {
  return screened.metrics
    .filter(({ outcome }) => outcome === 'regression')
    .some(({ metric }) => again.metrics.some((own) => own.metric === metric && exceedsLimit(own)));
}

/**
 * What a cell comes to after both measurements. The re-measurement decides, since only it cannot mistake a different
 * host or hour for the change. Where it points the same way without proving it, the first proof stands.
 */
function decide(screened: CellVerdict, again: CellVerdict | undefined): CellVerdict {
  // A cell without metrics compared nothing.
  if (again === undefined || again.metrics.length === 0) return screened;
  return again.outcome !== 'regression' && pointsTheSameWay(again, screened) ? screened : again;
}

/** The verdict against the stored runs, with the re-measured cells decided by the interleaved verdict. */
export function confirm(screened: Verdict, interleaved: Verdict): Verdict {
  if (screened.comparison.kind !== 'stored' || interleaved.comparison.kind !== 'side-by-side') {
    return screened;
  }
  const again = new Map(interleaved.cells.map((cell): [string, CellVerdict] => [cellName(cell), cell]));
  const cells = screened.cells.map((cell) => decide(cell, again.get(cellName(cell))));
  return {
    ...screened,
    outcome: checkOutcome(screened.invalid, cells, screened.comparison),
    comparison: {
      ...screened.comparison,
      confirmed: {
        baseCommit: interleaved.comparison.baseCommit,
        cells: interleaved.cells.map((cell) => ({ name: cellName(cell), outcome: cell.outcome })),
      },
    },
    cells,
    createdAt: interleaved.createdAt,
    seconds: interleaved.seconds,
  };
}

/**
 * The interleaved verdict, which replaces a comparison with stored runs that are all incomparable. An invalid one says
 * why, and decides nothing.
 */
export function replaceStored(screened: Verdict, interleaved: Verdict): Verdict {
  const { comparison, runId, code } = screened;
  if (comparison.kind !== 'none' || interleaved.comparison.kind !== 'side-by-side') return screened;
  const { mismatches } = comparison;
  return { ...interleaved, runId, code, comparison: { ...interleaved.comparison, mismatches } };
}
