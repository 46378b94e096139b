import { type MetricName, worsening } from '../../model/metric.ts';
import type { Verdict } from '../../model/verdict.ts';
import { worseEndpoints } from '../content/findings.ts';

/** Outputs of the Action that depend on the verdict alone, by their names. */
export type VerdictOutputs = Readonly<
  Record<
    'verdict' | 'regressions' | 'worst-p95-change' | 'worst-tps-change' | 'worst-error-rate-change',
    string
  >
>;

/** The worst change over all cells as a share (0.1 = 10%); empty if nothing was compared. */
function worstChange(verdict: Verdict, name: MetricName): string {
  const changes = verdict.cells.flatMap(({ metrics }) =>
    metrics.filter(({ metric }) => metric === name).map(({ change }) => change),
  );
  if (changes.length === 0) return '';
  const worst = worsening(name, Math.max(...changes.map((change) => worsening(name, change))));
  return worst.toFixed(4);
}

export function verdictOutputs(verdict: Verdict): VerdictOutputs {
  return {
    verdict: verdict.outcome,
    regressions: String(verdict.cells.filter(({ outcome }) => outcome === 'regression').length),
    'worst-p95-change': worstChange(verdict, 'p95'),
    'worst-tps-change': worstChange(verdict, 'tps'),
    'worst-error-rate-change': worstChange(verdict, 'errorRate'),
  };
}

/**
 * True for everything but a plain or coarse pass, about which nobody needs a comment unless the change touches how it is
 * judged.
 */
export function isWorthAComment(verdict: Verdict): boolean {
  return (
    (verdict.outcome !== 'pass' && verdict.outcome !== 'coarse') ||
    verdict.judgedByDefaultBranch === true ||
    verdict.comparison.kind === 'none' ||
    (verdict.comparison.kind === 'side-by-side' &&
      (verdict.comparison.mismatches !== undefined || verdict.comparison.stored?.outcome === 'regression')) ||
    verdict.cells.some(
      (cell) => cell.metrics.some(({ improved }) => improved) || worseEndpoints(cell).length > 0,
    )
  );
}
