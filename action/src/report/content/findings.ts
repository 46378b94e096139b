import { relativeCostWorsening } from '../../model/excess.ts';
import { type EndpointMetricName, isRatioMetric, metrics } from '../../model/metric.ts';
import type { InvalidReason } from '../../model/run.ts';
import type {
  CellVerdict,
  EndpointChange,
  ObjectiveResult,
  SignalChange,
  Verdict,
} from '../../model/verdict.ts';
import { formatAmount, formatMs, formatShare, formatTps } from '../format/number.ts';
import { cellState } from './cell-state.ts';
import { formatFinding, formatMetricChange, formatMove } from './metric.ts';

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
    return `${metrics[metric].title} ${formatMove(metric, before, after)}, ${formatMetricChange(metric, change)}`;
  });
  return `${name} ${moves.join('; ')}`;
}

/** `rows read per request 31 → 20,031`. */
export function signalMove({ title, unit, base, head }: SignalChange): string {
  return `${title} ${formatAmount(base, unit)} → ${formatAmount(head, unit)}`;
}

/** `rows read per request 31 → 20,031: look for a missing index`. */
export function signalSentence(signal: SignalChange): string {
  return signal.hint === '' ? signalMove(signal) : `${signalMove(signal)}: ${signal.hint}`;
}

/** Growth from zero sorts before every other. */
export function growth(signal: SignalChange): number {
  return relativeCostWorsening(signal) ?? Number.POSITIVE_INFINITY;
}

/** Whether a signal fails a check only with evidence, such as a wait. It is often a consequence of what else became worse. */
export function needsEvidence({ gate }: SignalChange): boolean {
  return gate === 'suspect';
}

/** Orders signals so that those come last which seldom explain the others. */
export function byEvidence(a: SignalChange, b: SignalChange): number {
  return Number(needsEvidence(a)) - Number(needsEvidence(b));
}

/** Signals that moved for the worse, the largest growth first, but those that need evidence last. */
export function movedSignals({ signals }: CellVerdict): readonly SignalChange[] {
  return signals
    .filter(({ moved }) => moved)
    .toSorted((a, b) => byEvidence(a, b) || (growth(a) > growth(b) ? -1 : 1));
}

export function undecidedCosts({ signals }: CellVerdict): readonly SignalChange[] {
  return signals.filter(({ evidence }) => evidence?.undecided);
}

/** What looked worse in a cell and was neither proved nor cleared, its metrics and then its costs. */
export function undecidedFindings(cell: CellVerdict): readonly string[] {
  return [
    ...cell.metrics.filter(({ outcome }) => outcome === 'undecided').map(formatFinding),
    ...undecidedCosts(cell).map(signalMove),
  ];
}

/** The measured value in the unit of the objective: `612 ms`. */
export function formatObjectiveValue({ objective, value }: ObjectiveResult): string {
  const format = objective.endsWith('ms') ? formatMs : objective.endsWith('%') ? formatShare : formatTps;
  return format(value);
}

/** `base works, but head does not: all 4990 requests failed (I_ALL_FAILED)`; empty if head works. */
export function unansweredTexts({ unanswered }: CellVerdict): readonly string[] {
  if (unanswered === undefined) return [];
  return [`base works, but head does not: ${unanswered.cause} (${unanswered.code})`];
}

interface MissedObjective {
  readonly cell: CellVerdict;
  /** Such as `mean < 500 ms, measured 612 ms`. */
  readonly text: string;
  /** True if it is a regression of its cell. */
  readonly fails: boolean;
}

export function missedObjectives(cells: readonly CellVerdict[]): readonly MissedObjective[] {
  return cells.flatMap((cell) =>
    cell.objectives
      .filter(({ met }) => !met)
      .map((result) => ({
        cell,
        text: `${result.objective}, measured ${formatObjectiveValue(result)}`,
        fails: result.judged === true,
      })),
  );
}

export interface PlacedReason {
  readonly reason: InvalidReason;
  /** True if it concerns the whole run. */
  readonly ofRun: boolean;
  /** The cells that it concerns. */
  readonly cells: readonly CellVerdict[];
}

/** Reasons of the run and of its cells; cells with the same reason share an entry. */
export function invalidReasons(verdict: Verdict): readonly PlacedReason[] {
  const placed = [
    ...verdict.invalid.map((reason) => ({ reason, cell: undefined })),
    ...verdict.cells.flatMap((cell) => cell.invalid.map((reason) => ({ reason, cell }))),
  ];
  const groups = Map.groupBy(placed, ({ reason }) => JSON.stringify(reason));
  return [...groups.values()].flatMap((group) => {
    const cells = new Set(group.flatMap(({ cell }) => cell ?? []));
    const ofRun = group.some(({ cell }) => cell === undefined);
    return group.slice(0, 1).map(({ reason }) => ({ reason, ofRun, cells: [...cells] }));
  });
}
