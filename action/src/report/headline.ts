import { cellName } from '../model/run.ts';
import type { CellVerdict, MetricName, MetricVerdict, Verdict } from '../model/verdict.ts';
import { cellsIn, countOf } from './cell-state.ts';
import { confirmationNote } from './comparison-note.ts';
import {
  byExcess,
  formatLimit,
  formatShift,
  formatVisible,
  metricOf,
  metricTitles,
  regressedMetrics,
} from './metric.ts';
import { formatMsChange, formatShare } from './number.ts';
import { movedSignals, signalSentence } from './signal.ts';

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

/** The largest of the cells' smallest visible changes: what would have been seen wherever it happened. */
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
  return {
    word: 'Inconclusive',
    sentence: `Inconclusive: no regression seen, but ${cells.length} of ${countOf(verdict.cells.length, 'cell')} could not have shown one as large as the limit`,
    because:
      blind === undefined
        ? []
        : [
            `${cellName(blind.cell)} could see ${metricTitles[blind.metric.metric]} from ${formatVisible(blind.metric)} on, ${formatLimit(blind.metric)}`,
          ],
  };
}

function pass(verdict: Verdict): Headline {
  const improved = cellsIn(verdict, 'improved');
  const steady = verdict.cells.length - improved.length;
  const p95 = leastSensitive(verdict.cells, 'p95');
  const tps = leastSensitive(verdict.cells, 'tps');
  const visible = [p95, tps].flatMap((metric) =>
    metric === undefined ? [] : [`${metricTitles[metric.metric]} ${formatVisible(metric)}`],
  );
  const because =
    visible.length === 0 ? [] : [`in every cell this run would have seen ${visible.join(' or ')}`];
  const [first] = improved;
  if (first === undefined) {
    return { word: 'Pass', sentence: `Pass: ${countOf(steady, 'cell')} within noise`, because };
  }
  const findings = first.metrics.filter((metric) => metric.improved).map(formatShift);
  const more = improved.length === 1 ? '' : ` and ${improved.length - 1} more`;
  const rest = steady === 0 ? '' : `; ${countOf(steady, 'cell')} within noise`;
  return {
    word: 'Pass',
    sentence: `Pass: ${cellName(first)}${more} improved — ${findings.join('; ')}${rest}`,
    because,
  };
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
  const runs = countOf(comparison.mismatches.length, 'stored run');
  return {
    word: 'Not comparable',
    sentence: `Not comparable: ${measured}, but ${runs === '1 stored run' ? 'the stored run was' : `none of the ${runs} was`} made under the same conditions${stored}`,
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
  return { ...said, because: [...because, ...confirmationNote(verdict), ...missedObjectives(verdict)] };
}

function judged(verdict: Verdict, options: HeadlineOptions): Headline {
  if (verdict.outcome === 'regression') return regression(verdict);
  if (verdict.comparison.kind === 'none') return nothingCompared(verdict, options);
  return verdict.outcome === 'inconclusive' ? inconclusive(verdict) : pass(verdict);
}
