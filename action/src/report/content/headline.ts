import { cellName } from '../../model/run.ts';
import type { CellVerdict, MetricName, MetricVerdict, Verdict } from '../../model/verdict.ts';
import { formatMsChange, formatShare } from '../format/number.ts';
import { cellsIn, countOf } from './cell-state.ts';
import { otherLooks } from './comparison-note.ts';
import { namesText } from './invalid-reason.ts';
import {
  byExcess,
  formatLimit,
  formatShift,
  formatVisible,
  metricOf,
  metricTitles,
  regressedMetrics,
} from './metric.ts';
import { movedSignals, signalSentence } from './signal.ts';
import { worseEndpoints, worseEndpointText } from './worse-endpoint.ts';

export interface Headline {
  /** The verdict in one sentence, without its last stop. */
  readonly sentence: string;
  /** What the sentence begins with, for whoever wants to stress it. */
  readonly word: string;
  /** What explains it, most telling first. */
  readonly because: readonly string[];
}

export interface HeadlineOptions {
  /** Where this run was stored as a baseline; absent if it was not. */
  readonly storedIn?: string;
}

/** Growth below this share of the endpoint's own is a matter of chance. */
const standsOutShare = 0.1;

/**
 * The endpoint that explains a regression. Of the regressed cells of the scenario it looks at the one with the fewest
 * virtual users: the shorter the queues, the more of an endpoint's time is its own work.
 */
function culprit(worst: CellVerdict, regressed: readonly CellVerdict[]): string | undefined {
  const [calmest = worst] = regressed
    .filter(({ scenario }) => scenario === worst.scenario)
    .toSorted((a, b) => a.vus - b.vus);
  const [endpoint] = calmest.endpoints;
  if (endpoint === undefined || endpoint.shareOfAddedTime === 0) return undefined;
  const where = calmest === worst ? '' : ` in ${cellName(calmest)}`;
  const growthMs = endpoint.head.meanMs - endpoint.base.meanMs;
  const added = `${formatMsChange(growthMs)} mean, ${formatShare(endpoint.shareOfAddedTime)} of the added time`;
  const ownShare = endpoint.beyondSharedMs / growthMs;
  if (ownShare < standsOutShare) {
    return `all endpoints grew alike${where}, so they wait for something they share; most time was added to ${endpoint.name} (${added})`;
  }
  const beyond =
    ownShare > 1 - standsOutShare
      ? ''
      : `, ${formatMsChange(endpoint.beyondSharedMs)} more than most endpoints`;
  return `slowest grown endpoint ${endpoint.name}${where} (${added}${beyond})`;
}

/** What else a verdict hides behind its regression. */
function untrusted(verdict: Verdict): string | undefined {
  const cells = cellsIn(verdict, 'invalid');
  if (cells.length === 0) return undefined;
  return `${countOf(cells.length, 'other cell')} cannot be trusted, see below`;
}

function regression(verdict: Verdict): Headline {
  const cells = cellsIn(verdict, 'regression').toSorted(byExcess);
  const [worst] = cells;
  if (worst === undefined) return { word: 'Regression', sentence: 'Regression', because: [] };
  const findings = regressedMetrics(worst)
    .map((metric) => `${formatShift(metric)}, ${formatLimit(metric)}`)
    .join('; ');
  const others = cells.length === 1 ? '' : ` (worst of ${cells.length} cells)`;
  const [signal] = movedSignals(worst);
  return {
    word: 'Regression',
    sentence: `Regression: ${cellName(worst)} — ${findings}${others}`,
    because: [
      culprit(worst, cells),
      signal === undefined ? undefined : signalSentence(signal),
      untrusted(verdict),
    ].filter((reason) => reason !== undefined),
  };
}

function invalid(verdict: Verdict): Headline {
  const cells = cellsIn(verdict, 'invalid');
  const reason = verdict.invalid[0] ?? cells[0]?.invalid[0];
  const what =
    verdict.invalid.length > 0
      ? 'the run is not to be trusted'
      : `${cells.length} of ${countOf(verdict.cells.length, 'cell')} cannot be trusted`;
  return {
    word: 'Invalid',
    sentence: `Invalid: ${what} — ${reason?.cause ?? 'no reason was given'}`,
    because: ['this is neither a pass nor a regression, and no such run becomes a baseline'],
  };
}

/** The largest of the cells' smallest visible changes: what would have failed wherever it happened. */
function leastSensitive(cells: readonly CellVerdict[], name: MetricName): MetricVerdict | undefined {
  return cells
    .flatMap((cell) => metricOf(cell, name) ?? [])
    .toSorted((a, b) => b.smallestVisible - a.smallestVisible)[0];
}

function inconclusive(verdict: Verdict): Headline {
  const cells = cellsIn(verdict, 'inconclusive');
  const blind = cells
    .flatMap((cell) =>
      cell.metrics
        .filter(({ outcome }) => outcome === 'inconclusive')
        .map((metric) => ({ cell, metric, ratio: metric.smallestVisible / Math.abs(metric.limit) })),
    )
    .toSorted((a, b) => b.ratio - a.ratio)[0];
  const all = countOf(verdict.cells.length, 'cell');
  const uncompared = cellsBeyondBase(verdict).length;
  const doubts = [
    ...(cells.length === 0
      ? []
      : [`${cells.length} of ${all} could not have shown one as large as the limit`]),
    ...(uncompared === 0 ? [] : [`${uncompared} of ${all} could not be compared with base`]),
  ];
  return {
    word: 'Inconclusive',
    sentence: `Inconclusive: no regression seen, but ${doubts.join(' and ')}`,
    because:
      blind === undefined
        ? []
        : [
            `${cellName(blind.cell)} would have failed by ${metricTitles[blind.metric.metric]} from ${formatVisible(blind.metric)} on, ${formatLimit(blind.metric)}`,
          ],
  };
}

function cellsBeyondBase({ comparison }: Verdict) {
  return comparison.kind === 'side-by-side' ? (comparison.beyondBase ?? []) : [];
}

/** Cells without a base, those with the same reason together. */
function beyondBase(verdict: Verdict): string[] {
  const byEndpoints = Map.groupBy(cellsBeyondBase(verdict), ({ endpoints }) => namesText(endpoints));
  return [...byEndpoints].map(
    ([endpoints, cells]) =>
      `base fails ${endpoints}, which head answers, so nothing says what the change does to ${namesText(cells.map(({ cell }) => cell))}`,
  );
}

/** Passing cells that are proved to be worse, though by no more than is tolerated. */
function worseWithin(verdict: Verdict): string[] {
  return cellsIn(verdict, 'worse, within the limit')
    .toSorted(byExcess)
    .slice(0, 1)
    .map((cell) => {
      const findings = cell.metrics
        .filter(({ provedWorse }) => provedWorse)
        .map((metric) => `${formatShift(metric)}, ${formatLimit(metric)}`);
      return `${cellName(cell)} is worse beyond chance, but within the limit: ${findings.join('; ')}`;
    });
}

function pass(verdict: Verdict): Headline {
  const improved = cellsIn(verdict, 'improved');
  const worse = cellsIn(verdict, 'worse, within the limit');
  const steady = verdict.cells.length - improved.length - worse.length;
  const p95 = leastSensitive(verdict.cells, 'p95');
  const tps = leastSensitive(verdict.cells, 'tps');
  const visible = [p95, tps].flatMap((metric) =>
    metric === undefined ? [] : [`${metricTitles[metric.metric]} ${formatVisible(metric)}`],
  );
  const because = [
    ...worseWithin(verdict),
    ...(visible.length === 0 ? [] : [`a change of ${visible.join(' or ')} would have failed in any cell`]),
  ];
  const rest = [
    ...(steady === 0 ? [] : [`${countOf(steady, 'cell')} within noise`]),
    ...(worse.length === 0 ? [] : [`${countOf(worse.length, 'cell')} worse, but within the limit`]),
  ].join(', ');
  const [first] = improved;
  if (first === undefined) return { word: 'Pass', sentence: `Pass: ${rest}`, because };
  const findings = first.metrics.filter((metric) => metric.improved).map(formatShift);
  const more = improved.length === 1 ? '' : ` and ${improved.length - 1} more`;
  return {
    word: 'Pass',
    sentence: `Pass: ${cellName(first)}${more} improved — ${findings.join('; ')}${rest === '' ? '' : `; ${rest}`}`,
    because,
  };
}

/** Endpoints that are worse by themselves in cells that do not regress; the worst one stands for all. */
function worseInside({ cells }: Verdict): string[] {
  const found = cells.flatMap((cell) => worseEndpoints(cell).map((endpoint) => ({ cell, endpoint })));
  const more = found.length <= 1 ? '' : `, and ${countOf(found.length - 1, 'more endpoint')}, see below`;
  return found
    .slice(0, 1)
    .map(
      ({ cell, endpoint }) =>
        `worse by itself, though not enough for its cell: ${cellName(cell)} ${worseEndpointText(endpoint)}${more}`,
    );
}

function nothingCompared(verdict: Verdict, options: HeadlineOptions): Headline {
  const measured = `measured ${countOf(verdict.cells.length, 'cell')}`;
  const { comparison } = verdict;
  const stored = options.storedIn === undefined ? '' : '; stored as the baseline';
  if (comparison.kind !== 'none' || comparison.reason === 'not-asked') {
    return {
      word: 'Measured',
      sentence: `Measured ${countOf(verdict.cells.length, 'cell')}; no comparison was asked for`,
      because: [],
    };
  }
  if (comparison.reason === 'no-baseline') {
    return {
      word: 'No baseline yet',
      sentence: `No baseline yet: ${measured}, nothing to compare with${stored}`,
      because: [],
    };
  }
  const runs = comparison.mismatches.length;
  const none = runs === 1 ? 'the stored run was not' : `none of the ${runs} stored runs was`;
  return {
    word: 'Not comparable',
    sentence: `Not comparable: ${measured}, but ${none} made under the same conditions${stored}`,
    because:
      verdict.outcome === 'inconclusive'
        ? ['what keeps them apart came with this checkout, so this is no pass: nothing says what it changed']
        : [],
  };
}

function missedObjectives({ cells }: Verdict): readonly string[] {
  const missed = cells.flatMap(({ objectives }) => objectives.filter(({ met }) => !met)).length;
  return missed === 0 ? [] : [`${countOf(missed, 'objective')} missed`];
}

/** The verdict in a sentence, with what explains it. */
export function headline(verdict: Verdict, options: HeadlineOptions = {}): Headline {
  if (verdict.outcome === 'invalid') return invalid(verdict);
  const { because, ...said } = judged(verdict, options);
  return {
    ...said,
    because: [
      ...because,
      ...beyondBase(verdict),
      ...worseInside(verdict),
      ...otherLooks(verdict),
      ...missedObjectives(verdict),
    ],
  };
}

function judged(verdict: Verdict, options: HeadlineOptions): Headline {
  if (verdict.outcome === 'regression') return regression(verdict);
  if (verdict.comparison.kind === 'none') return nothingCompared(verdict, options);
  return verdict.outcome === 'inconclusive' ? inconclusive(verdict) : pass(verdict);
}
