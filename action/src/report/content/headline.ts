import { type MetricName, metrics, ratioMetricNames } from '../../model/metric.ts';
import { cellName } from '../../model/run.ts';
import type { CellVerdict, EndpointChange, Verdict } from '../../model/verdict.ts';
import { formatMsChange, formatShare } from '../format/number.ts';
import { countOf, namesText } from '../format/phrase.ts';
import { cellsIn } from './cell-state.ts';
import { comparisonNotes } from './comparison.ts';
import { movedSignals, signalSentence, worseEndpoints, worseEndpointText } from './findings.ts';
import {
  byExcess,
  formatBlindness,
  formatDetectable,
  formatFinding,
  formatMove,
  formatShift,
  metricOf,
  regressedMetrics,
} from './metric.ts';
import type { NextStepOptions } from './next-step.ts';

export interface Headline {
  /** The first word or words of the sentence. */
  readonly word: string;
  /** The rest of the sentence, without its full stop: `: 5 unchanged`. */
  readonly rest: string;
  /** What explains it, most important first. */
  readonly because: readonly string[];
}

type HeadlineOptions = Pick<NextStepOptions, 'storedIn'>;

/** An endpoint whose own share of its growth is smaller does not stand out from the others. */
const standsOutShare = 0.1;

/**
 * The endpoint that explains a regression, taken from the regressed cell of the scenario with the fewest virtual users.
 * Shorter queues leave more of an endpoint's time to its own work.
 */
function slowestEndpoint(worst: CellVerdict, regressed: readonly CellVerdict[]): string | undefined {
  const [calmest = worst] = regressed
    .filter(({ scenario }) => scenario === worst.scenario)
    .toSorted((a, b) => a.vus - b.vus);
  const [endpoint] = calmest.endpoints;
  if (endpoint === undefined || endpoint.shareOfAddedTime === 0) return undefined;
  const where = calmest === worst ? '' : ` in ${cellName(calmest)}`;
  const growthMs = endpoint.head.meanMs - endpoint.base.meanMs;
  const added = `${formatMsChange(growthMs)} mean, ${formatShare(endpoint.shareOfAddedTime)} of the added time`;
  // A single endpoint shares its wait with nothing.
  const ownShare = calmest.endpoints.length === 1 ? 1 : endpoint.beyondSharedMs / growthMs;
  if (ownShare < standsOutShare) {
    return `all endpoints slowed alike${where}, so they wait for a shared resource; ${endpoint.name} added the most time (${added})`;
  }
  const beyond =
    ownShare > 1 - standsOutShare
      ? ''
      : `, ${formatMsChange(endpoint.beyondSharedMs)} more than most endpoints`;
  return `endpoint that slowed most: ${endpoint.name}${where} (${added}${beyond})`;
}

/** The endpoint whose error rate grew most. */
function failingEndpoint({ endpoints }: CellVerdict): string | undefined {
  const growth = ({ base, head }: EndpointChange) => head.errorRate - base.errorRate;
  const [worst] = endpoints.toSorted((a, b) => growth(b) - growth(a));
  if (worst === undefined || growth(worst) <= 0) return undefined;
  return `endpoint that fails most: ${worst.name} (errors ${formatMove('errorRate', worst.base.errorRate, worst.head.errorRate)})`;
}

function regression(verdict: Verdict): Headline {
  const cells = cellsIn(verdict, 'regression').toSorted(byExcess);
  const [worst] = cells;
  if (worst === undefined) return { word: 'Regression', rest: '', because: [] };
  const metricsOfWorst = regressedMetrics(worst);
  const slower = metricsOfWorst.some(({ metric }) => metrics[metric].family === 'time');
  const others = cells.length === 1 ? '' : ` (worst of ${cells.length} cells)`;
  const invalid = cellsIn(verdict, 'invalid').length;
  return {
    word: 'Regression',
    rest: `: ${cellName(worst)} — ${metricsOfWorst.map(formatFinding).join('; ')}${others}`,
    because: [
      slower ? slowestEndpoint(worst, cells) : failingEndpoint(worst),
      ...movedSignals(worst).slice(0, 1).map(signalSentence),
      invalid === 0 ? undefined : `${countOf(invalid, 'other cell')} could not be judged, see below`,
    ].filter((reason) => reason !== undefined),
  };
}

function invalid(verdict: Verdict): Headline {
  const cells = cellsIn(verdict, 'invalid');
  const reason = verdict.invalid[0] ?? cells[0]?.invalid[0];
  const what =
    verdict.invalid.length > 0
      ? 'the run cannot be trusted'
      : `${cells.length} of ${countOf(verdict.cells.length, 'cell')} cannot be trusted`;
  return {
    word: 'Invalid',
    rest: `: ${what} — ${reason?.cause ?? 'no reason was given'}`,
    because: ['this is neither a pass nor a regression, and an invalid run never becomes a baseline'],
  };
}

function cellsBeyondBase({ comparison }: Verdict) {
  return comparison.kind === 'side-by-side' ? (comparison.beyondBase ?? []) : [];
}

function inconclusive(verdict: Verdict): Headline {
  const cells = cellsIn(verdict, 'inconclusive');
  const [noisiest] = cells
    .flatMap((cell) =>
      cell.metrics
        .filter(({ outcome }) => outcome === 'inconclusive')
        .map((metric) => ({ cell, metric, ratio: metric.smallestVisible / Math.abs(metric.limit) })),
    )
    .toSorted((a, b) => b.ratio - a.ratio);
  const count = (some: number) =>
    `${some} of ${countOf(verdict.cells.length, 'cell')} ${some === 1 ? 'was' : 'were'}`;
  const uncompared = cellsBeyondBase(verdict).length;
  const doubts = [
    ...(cells.length === 0
      ? []
      : [`${count(cells.length)} too noisy to detect or rule out a change at the limit`]),
    ...(uncompared === 0 ? [] : [`${count(uncompared)} not comparable with the base commit`]),
  ];
  return {
    word: 'Inconclusive',
    rest: `: no regression found, but ${doubts.join(' and ')}`,
    because:
      noisiest === undefined ? [] : [`${cellName(noisiest.cell)}: ${formatBlindness(noisiest.metric)}`],
  };
}

/** Cells without a base, grouped by the endpoints that the base commit fails. */
function beyondBase(verdict: Verdict): string[] {
  const byEndpoints = Map.groupBy(cellsBeyondBase(verdict), ({ endpoints }) => namesText(endpoints));
  return [...byEndpoints].map(
    ([endpoints, cells]) =>
      `the base commit fails ${endpoints}, which head answers, so ${namesText(cells.map(({ cell }) => cell))} cannot be compared`,
  );
}

/** `p95 +29%` for the noisiest cell: a change of that size would have failed in any cell. */
function detectableEverywhere(cells: readonly CellVerdict[], name: MetricName): string[] {
  return cells
    .flatMap((cell) => metricOf(cell, name) ?? [])
    .toSorted((a, b) => b.smallestVisible - a.smallestVisible)
    .slice(0, 1)
    .map((metric) => `${metrics[name].title} ${formatDetectable(metric)}`);
}

function pass(verdict: Verdict): Headline {
  const [first, ...more] = cellsIn(verdict, 'improved');
  const worse = cellsIn(verdict, 'worse-within-limit').toSorted(byExcess);
  const improved = first === undefined ? 0 : 1 + more.length;
  const unchanged = verdict.cells.length - improved - worse.length;
  const detectable = ratioMetricNames.flatMap((name) => detectableEverywhere(verdict.cells, name));
  const others = [
    ...(unchanged === 0 ? [] : [`${unchanged} unchanged`]),
    ...(worse.length === 0 ? [] : [`${worse.length} worse but within the limit`]),
  ].join(', ');
  const because = [
    ...worse.slice(0, 1).map((cell) => {
      const findings = cell.metrics.filter(({ provedWorse }) => provedWorse).map(formatFinding);
      return `${cellName(cell)} got worse, but stays within the limit: ${findings.join('; ')}`;
    }),
    ...(detectable.length === 0
      ? []
      : [`a change of ${detectable.join(' or ')} would have failed in any cell`]),
  ];
  if (first === undefined) return { word: 'Pass', rest: `: ${others}`, because };
  const findings = first.metrics.filter((metric) => metric.improved).map(formatShift);
  const names = more.length === 0 ? '' : ` and ${more.length} more`;
  return {
    word: 'Pass',
    rest: `: ${cellName(first)}${names} improved — ${findings.join('; ')}${others === '' ? '' : `; ${others}`}`,
    because,
  };
}

/** The first endpoint that got worse in a cell without a regression, with the number of others. */
function worseInside({ cells }: Verdict): string[] {
  const found = cells.flatMap((cell) => worseEndpoints(cell).map((endpoint) => ({ cell, endpoint })));
  const more = found.length <= 1 ? '' : `, and ${countOf(found.length - 1, 'more endpoint')}, see below`;
  return found
    .slice(0, 1)
    .map(
      ({ cell, endpoint }) =>
        `an endpoint got worse, though its cell did not regress: ${cellName(cell)} ${worseEndpointText(endpoint)}${more}`,
    );
}

function nothingCompared(verdict: Verdict, options: HeadlineOptions): Headline {
  const cells = countOf(verdict.cells.length, 'cell');
  const { comparison } = verdict;
  if (comparison.kind !== 'none' || comparison.reason === 'not-asked') {
    return { word: 'Measured', rest: `: ${cells}; no comparison was requested`, because: [] };
  }
  const stored = options.storedIn === undefined ? '' : '; this run is now the baseline';
  if (comparison.reason === 'no-baseline') {
    const rest = `: measured ${cells} with nothing to compare them with${stored}`;
    return { word: 'No baseline yet', rest, because: [] };
  }
  const runs = comparison.mismatches.length;
  const none =
    runs === 1
      ? 'the only stored run was made under other conditions'
      : `none of the ${runs} stored runs was made under the same conditions`;
  return {
    word: 'Not comparable',
    rest: `: measured ${cells}, but ${none}${stored}`,
    because:
      verdict.outcome === 'inconclusive'
        ? ['this checkout changed the conditions, so the check cannot say what else it changed']
        : [],
  };
}

function judged(verdict: Verdict, options: HeadlineOptions): Headline {
  if (verdict.outcome === 'regression') return regression(verdict);
  if (verdict.comparison.kind === 'none') return nothingCompared(verdict, options);
  return verdict.outcome === 'inconclusive' ? inconclusive(verdict) : pass(verdict);
}

/** The verdict in one sentence, with what explains it. */
export function headline(verdict: Verdict, options: HeadlineOptions = {}): Headline {
  if (verdict.outcome === 'invalid') return invalid(verdict);
  const { because, ...said } = judged(verdict, options);
  const missed = verdict.cells.flatMap(({ objectives }) => objectives.filter(({ met }) => !met)).length;
  return {
    ...said,
    because: [
      ...because,
      ...beyondBase(verdict),
      ...worseInside(verdict),
      ...comparisonNotes(verdict),
      ...(missed === 0 ? [] : [`${countOf(missed, 'objective')} missed`]),
    ],
  };
}
