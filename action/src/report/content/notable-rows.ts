import { byExcess } from '../../model/excess.ts';
import { type MetricName, metrics } from '../../model/metric.ts';
import type {
  CellVerdict,
  EndpointChange,
  MetricVerdict,
  SignalChange,
  Verdict,
} from '../../model/verdict.ts';
import { formatAmount, formatChange, formatPoints } from '../format/number.ts';
import type { Phrase } from '../format/phrase.ts';
import { acceptedSignals } from './accepted.ts';
import { cellsIn, movement } from './cell-state.ts';
import { remeasuredFigures } from './comparison.ts';
import { failedSignals, formatCostLimit, formatGrowth } from './costs.ts';
import { undecidedCosts, worseEndpoints } from './findings.ts';
import { groupName, groupsIn } from './groups.ts';
import { formatChangeInterval, formatLimit, formatValue, isWorseWithinLimit } from './metric.ts';
import { metricNouns } from './plain-sentence.ts';
import type { ReportColumn, Row, Section } from './report-parts.ts';
import { cellLiteral } from './tables.ts';

const machineNote =
  'Before and now are as measured. The change of a time also allows for how fast the machine was.';

type Rows = readonly Row<Phrase>[];

const columns: readonly ReportColumn[] = [
  { title: 'cell (scenario@load)', align: 'left' },
  { title: 'before', align: 'right' },
  { title: 'now', align: 'right' },
  { title: 'change [95% interval]', align: 'left' },
];

/** `1,745 ms`, `842/s`. */
function figure(name: MetricName, value: number): string {
  return name === 'tps' ? `${formatValue(name, value)}/s` : formatValue(name, value);
}

function metricRow(verdict: MetricVerdict, where: Phrase): Row<Phrase> {
  const { metric, base, head, improved } = verdict;
  return {
    cells: [
      [...where, `: ${metricNouns[metric]}`],
      [figure(metric, base)],
      [figure(metric, head)],
      [{ strong: formatChangeInterval(verdict) }, ...(improved ? [] : [`, ${formatLimit(verdict)}`])],
    ],
    metric: verdict,
  };
}

function costRow(cost: SignalChange, where: Phrase): Row<Phrase> {
  const { title, unit, base, head } = cost;
  return {
    cells: [
      [...where, ': ', { text: title }],
      [{ text: formatAmount(base, unit) }],
      [{ text: formatAmount(head, unit) }],
      [{ strong: formatGrowth(cost) }, ', limit ', { text: formatCostLimit(cost) }],
    ],
  };
}

function endpointRows(endpoint: EndpointChange, where: Phrase): Rows {
  const { name, base, head, worse } = endpoint;
  return worse.map((metric) => {
    const [before, now] = metric === 'p95' ? [base.p95Ms, head.p95Ms] : [base.errorRate, head.errorRate];
    const change =
      metrics[metric].scale === 'share' ? formatPoints(now - before) : formatChange(now / before - 1);
    return {
      cells: [
        [...where, ': ', { literal: name }, ` ${metricNouns[metric]}`],
        [formatValue(metric, before)],
        [formatValue(metric, now)],
        [{ strong: change }],
      ],
    };
  });
}

function cellRows(
  cell: CellVerdict,
  costs: readonly SignalChange[],
  judged: (metric: MetricVerdict) => boolean,
): Rows {
  const where: Phrase = [cellLiteral(cell)];
  return [
    ...costs.map((cost) => costRow(cost, where)),
    ...cell.metrics.filter(judged).map((metric) => metricRow(metric, where)),
  ];
}

function decided(verdict: Verdict, outcome: 'regression' | 'accepted' | 'undecided'): readonly Rows[] {
  const costsOf = (cell: CellVerdict) => {
    if (outcome === 'accepted') return acceptedSignals(verdict, cell);
    return outcome === 'undecided' ? undecidedCosts(cell) : failedSignals(cell);
  };
  const isMeant = (metric: MetricVerdict) => metric.outcome === outcome;
  return [
    ...cellsIn(verdict, outcome)
      .toSorted(byExcess)
      .map((cell) => cellRows(cell, costsOf(cell), isMeant)),
    ...groupsIn(verdict, outcome).map((group) =>
      group.metrics.filter(isMeant).map((metric) => metricRow(metric, [groupName(group)])),
    ),
  ];
}

function remarkable({ cells }: Verdict): readonly Rows[] {
  return [
    ...cells.flatMap((cell) => worseEndpoints(cell).map((one) => endpointRows(one, [cellLiteral(cell)]))),
    ...cells
      .filter((cell) => cell.outcome !== 'regression' && movement(cell) === 'improved')
      .map((cell) => cellRows(cell, [], ({ improved }) => improved)),
    ...cells
      .filter((cell) => cell.outcome === 'pass' && movement(cell) === 'worse-within-limit')
      .toSorted(byExcess)
      .map((cell) => cellRows(cell, [], isWorseWithinLimit)),
  ];
}

/** What decided the verdict, or what is remarkable about a pass; a row for each figure and one entry per cell. */
export function notableRows(verdict: Verdict): Pick<Section<Phrase>, 'columns' | 'entries' | 'note'> {
  const outcome = verdict.outcome;
  const entries =
    outcome === 'regression' || outcome === 'accepted' || outcome === 'undecided'
      ? decided(verdict, outcome)
      : remarkable(verdict);
  const isCorrected = entries
    .flat()
    .some(({ metric }) => metric !== undefined && metric.yardstick.length > 0);
  const notes = [...(isCorrected ? [machineNote] : []), ...remeasuredFigures(verdict, entries)];
  return {
    columns,
    entries: entries.filter((rows) => rows.length > 0),
    ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
  };
}
