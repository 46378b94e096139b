import { relativeCostWorsening } from '../model/excess.ts';
import { worsening } from '../model/metric.ts';
import { cellName } from '../model/run.ts';
import type {
  AcceptedRow,
  CellVerdict,
  GroupVerdict,
  MetricVerdict,
  Outcome,
  SignalChange,
  Verdict,
} from '../model/verdict.ts';
import { allCells, type Waiver } from '../model/waiver.ts';
import { costOutcome } from './costs.ts';
import { objectiveOutcome } from './objectives.ts';
import { checkOutcome, mostSerious, unjudged } from './outcome.ts';
import { answerOutcome } from './unanswered.ts';

/** One row that regressed, or looked worse and was not cleared. */
interface FailingRow {
  readonly cell: string;
  readonly metric: string;
  /** The worsening, unsigned, as waivers limit it; null from a base of 0. */
  readonly growth: number | null;
  /** How large it may be in truth: a waiver up to here covers the same code measured again. Null from a base of 0. */
  readonly ceiling: number | null;
}

/** What a count may differ by when the same code is measured again. */
const countSlack = 1.1;

function metricRow(cell: string, { metric, change, interval }: MetricVerdict): FailingRow {
  const ends = [interval.low, interval.high].map((end) => worsening(metric, end));
  return { cell, metric, growth: worsening(metric, change), ceiling: Math.max(...ends) };
}

function signalRow(cell: string, signal: SignalChange): FailingRow {
  const growth = relativeCostWorsening(signal);
  return { cell, metric: signal.name, growth, ceiling: growth === null ? null : growth * countSlack };
}

function isFailing({ outcome }: { readonly outcome: Outcome }): boolean {
  return outcome === 'regression' || outcome === 'undecided';
}

function failsAsCost({ failed, evidence }: SignalChange): boolean {
  return failed || evidence?.undecided === true;
}

/** What somebody accepted fails nothing, and need not be measured again. */
function acceptedCost({ evidence, ...signal }: SignalChange): SignalChange {
  const settled = evidence && { evidence: { ...evidence, suspect: false, undecided: false } };
  return { ...signal, failed: false, ...settled };
}

function rowsOf(cell: string, metrics: readonly MetricVerdict[], signals: readonly SignalChange[] = []) {
  return [
    ...metrics.filter(isFailing).map((metric) => metricRow(cell, metric)),
    ...signals.filter(failsAsCost).map((signal) => signalRow(cell, signal)),
  ];
}

function groupOf({ scenario }: GroupVerdict): string {
  return scenario ?? allCells;
}

/** All rows that keep the check from passing and that somebody may accept. */
export function failingRows({ cells, groups }: Verdict): readonly FailingRow[] {
  return [
    ...cells.flatMap((cell) => rowsOf(cellName(cell), cell.metrics, cell.signals)),
    ...groups.flatMap((group) => rowsOf(groupOf(group), group.metrics)),
  ];
}

/** The verdict in which rows that somebody accepted fail nothing. A row beyond its ceiling still does. */
export function withWaivers(verdict: Verdict, waivers: readonly Waiver[]): Verdict {
  if (waivers.length === 0) return verdict;
  const accepted: AcceptedRow[] = [];
  const covers = (row: FailingRow): boolean => {
    const waiver = waivers.find(
      ({ cell, metric, ceiling }) =>
        cell === row.cell &&
        metric === row.metric &&
        (ceiling === null || (row.growth !== null && row.growth <= ceiling)),
    );
    if (waiver === undefined) return false;
    const { until, reason, by } = waiver;
    accepted.push({
      cell: row.cell,
      metric: row.metric,
      growth: row.growth,
      until,
      reason,
      ...(by === undefined ? {} : { by }),
    });
    return true;
  };
  const judgeMetrics = (cell: string, rows: readonly MetricVerdict[]): MetricVerdict[] =>
    rows.map((row) =>
      isFailing(row) && covers(metricRow(cell, row)) ? { ...row, outcome: 'accepted', suspect: false } : row,
    );
  const cells = verdict.cells.map((cell): CellVerdict => {
    if (!isFailing(cell)) return cell;
    const name = cellName(cell);
    const metrics = judgeMetrics(name, cell.metrics);
    const signals = cell.signals.map((signal) =>
      failsAsCost(signal) && covers(signalRow(name, signal)) ? acceptedCost(signal) : signal,
    );
    const costs = costOutcome({ signals, uncounted: cell.uncounted });
    const times = cell.invalid.length > 0 ? [unjudged(cell.invalid)] : metrics.map(({ outcome }) => outcome);
    const left = mostSerious([...times, costs, objectiveOutcome(cell), answerOutcome(cell)]);
    return {
      ...cell,
      metrics,
      signals,
      outcome: mostSerious([left, 'accepted']),
    };
  });
  const groups = verdict.groups.map((group): GroupVerdict => {
    const metrics = judgeMetrics(groupOf(group), group.metrics);
    return { ...group, metrics, outcome: mostSerious(metrics.map(({ outcome }) => outcome)) };
  });
  if (accepted.length === 0) return verdict;
  const outcome = checkOutcome(verdict.invalid, [...cells, ...groups], verdict.comparison);
  // Waivers of the configuration and somebody's comment may each have accepted a part.
  return { ...verdict, cells, groups, outcome, accepted: [...(verdict.accepted ?? []), ...accepted] };
}
