import { byExcess } from '../../model/excess.ts';
import { isDisturbance } from '../../model/invalid-reason.ts';
import { type MetricName, metrics } from '../../model/metric.ts';
import type {
  CellVerdict,
  EndpointChange,
  MetricVerdict,
  SignalChange,
  Verdict,
} from '../../model/verdict.ts';
import { formatAmount, formatPoints, formatShare, formatTps } from '../format/number.ts';
import { countOf, listed, longestCellName, type Phrase, type PhrasePart } from '../format/phrase.ts';
import { acceptedSignals } from './accepted.ts';
import { cellsIn, isRemeasured, movement, worstIn } from './cell-state.ts';
import { changedConditions } from './comparison.ts';
import { type FailedScenario, failedScenarios, lostCosts } from './costs.ts';
import { missedObjectives, undecidedCosts, worseEndpoints } from './findings.ts';
import { groupsIn } from './groups.ts';
import {
  formatDetectable,
  formatMetricChange,
  formatValue,
  isWorseWithinLimit,
  regressedMetrics,
} from './metric.ts';
import { cellLiteral } from './tables.ts';

/** The verdict as a colleague would say it to somebody who has never seen a report of the gate. */
export interface PlainSentence {
  readonly icon: '🔴' | '🟡' | '🟢' | '⚪' | '⚠️';
  /** The first words, which are stressed. */
  readonly word: string;
  /** The rest, with its full stop. */
  readonly rest: Phrase;
}

const longestCause = 300;

/** Names of metrics for readers who do not know the tables. */
export const metricNouns: Readonly<Record<MetricName, string>> = {
  p95: 'p95 response time',
  tps: 'throughput',
  serviceCpu: "service's CPU time per request",
  backingCpu: "backing services' CPU time per request",
  errorRate: 'share of failed requests',
};

function valueText(name: MetricName, value: number): string {
  return name === 'tps' ? `${formatTps(value)} requests per second` : formatValue(name, value);
}

/** `trip-edit` at `peak`. */
function placeOf({ scenario, load }: CellVerdict): Phrase {
  return [{ literal: scenario }, ' at ', { literal: load }];
}

/** `the p95 response time of … rose by 48%, to 1,745 ms`. */
function movedText(verdict: MetricVerdict, where: Phrase, isProved = true): Phrase {
  const { metric, change, head } = verdict;
  const size =
    metrics[metric].scale === 'share'
      ? `${formatPoints(Math.abs(change)).replace(/^\+/, '').replace(' pp', ' percentage points')}`
      : formatMetricChange(metric, Math.abs(change)).replace(/^\+/, '');
  const [verb, doubtful] = change < 0 ? ['fell', 'seemed to fall'] : ['rose', 'seemed to rise'];
  return [
    `the ${metricNouns[metric]} of `,
    ...where,
    ` ${isProved ? verb : doubtful} by ${size}, to ${valueText(metric, head)}`,
  ];
}

/** `each request of … now causes 3.01 SQL statements instead of 1.01`. */
function costText({ title, unit, base, head }: SignalChange, where: Phrase): Phrase {
  const [now, before] = [formatAmount(head, unit), formatAmount(base, unit)];
  const counted = unit === '' ? /^(.+) per request$/.exec(title)?.[1] : undefined;
  return counted === undefined
    ? [{ text: title }, ' of ', ...where, ` went from ${before} to ${now}`]
    : ['each request of ', ...where, ` now causes ${now} `, { text: counted }, ` instead of ${before}`];
}

function scenarioPlace({ scenario, cells, costs }: FailedScenario): Phrase {
  const [{ where }] = costs;
  const loads: Phrase = / loads$/.test(where)
    ? [where]
    : listed(cells.map(({ load }): Phrase => [{ literal: load }]));
  return [{ literal: scenario }, ' at ', ...loads];
}

function regressionWord({ metric }: MetricVerdict): string {
  const { family } = metrics[metric];
  if (family === 'errors') return 'Fails more';
  return family === 'time' ? 'Slower' : 'Costs more';
}

/** Less of a share of hits, for example, is worse but no higher cost. */
function costWord({ worse }: SignalChange): string {
  return worse === 'lower' ? 'Worse' : 'Costs more';
}

function regressed(verdict: Verdict, outcome: 'regression' | 'accepted'): Omit<PlainSentence, 'icon'> {
  const silent = verdict.cells.find(({ unanswered }) => unanswered !== undefined);
  if (silent?.unanswered !== undefined) {
    const why: PhrasePart = { text: silent.unanswered.cause, longest: longestCause };
    const rest = [
      ': ',
      ...placeOf(silent),
      ' worked with the base commit, but not with this one: ',
      why,
      '.',
    ];
    return { word: 'No longer works', rest };
  }
  const [costly] = failedScenarios(verdict);
  if (costly !== undefined) {
    const [{ signal }] = costly.costs;
    return { word: costWord(signal), rest: [': ', ...costText(signal, scenarioPlace(costly)), '.'] };
  }
  const [worst] = worstIn(verdict, outcome);
  const [cost] = worst === undefined || outcome !== 'accepted' ? [] : acceptedSignals(verdict, worst);
  if (worst !== undefined && cost !== undefined) {
    return { word: costWord(cost), rest: [': ', ...costText(cost, placeOf(worst)), '.'] };
  }
  const [metric] = worst === undefined ? [] : regressedMetrics(worst, outcome);
  if (worst !== undefined && metric !== undefined) {
    return { word: regressionWord(metric), rest: [': ', ...movedText(metric, placeOf(worst)), '.'] };
  }
  const missed = missedObjectives(verdict.cells).find(({ fails }) => fails);
  if (missed !== undefined) {
    return {
      word: 'Misses a threshold',
      rest: [': ', ...placeOf(missed.cell), ', ', { text: missed.text }, '.'],
    };
  }
  const [group] = groupsIn(verdict, outcome);
  const shared = group?.metrics.find((one) => one.outcome === outcome);
  if (group === undefined || shared === undefined) return { word: 'Regression', rest: ['.'] };
  const { metric: name, change } = shared;
  const where: Phrase =
    group.scenario === null ? ['all scenarios'] : [{ literal: group.scenario }, ' at all its loads'];
  const verb = change < 0 ? 'fell' : 'rose';
  const size = formatMetricChange(name, Math.abs(change)).replace(/^\+/, '');
  return {
    word: regressionWord(shared),
    rest: [': taken together, the ', metricNouns[name], ' of ', ...where, ` ${verb} by ${size}.`],
  };
}

function notMeasured(verdict: Verdict): PlainSentence {
  const cells = verdict.cells.filter(({ outcome }) => outcome === 'invalid' || outcome === 'noise');
  const reasons = [...verdict.invalid, ...cells.flatMap(({ invalid }) => invalid)];
  const reason =
    verdict.outcome === 'noise' ? reasons[0] : (reasons.find((one) => !isDisturbance(one)) ?? reasons[0]);
  const what =
    verdict.invalid.length > 0 ? '' : `${cells.length} of ${countOf(verdict.cells.length, 'cell')}, because `;
  const why: PhrasePart =
    reason === undefined ? 'no reason was given' : { text: reason.cause, longest: longestCause };
  return { icon: '⚠️', word: 'Could not be measured', rest: [`: ${what}`, why, '.'] };
}

/** What became of the endpoint that got worse: `its p95 went from 76 to 371 ms`. */
function endpointText({ base, head, worse }: EndpointChange): string {
  return worse.includes('p95')
    ? `its p95 response time went from ${formatValue('p95', base.p95Ms)} to ${formatValue('p95', head.p95Ms)}`
    : `its failed requests went from ${formatShare(base.errorRate)} to ${formatShare(head.errorRate)}`;
}

function cannotTell(verdict: Verdict): PlainSentence {
  const said = (...rest: Phrase): PlainSentence => ({ icon: '⚪', word: 'Cannot tell', rest });
  const { comparison } = verdict;
  if (comparison.kind === 'none') {
    return said(
      ': the conditions changed (',
      { text: changedConditions(comparison) },
      '), so no stored run can be compared with this one.',
    );
  }
  const cells = worstIn(verdict, 'undecided');
  const doubt = isRemeasured(verdict, cells)
    ? 'a second measurement neither confirmed nor cleared it'
    : 'one measurement is not enough to prove it';
  for (const cell of cells) {
    const metric = cell.metrics.find(({ outcome }) => outcome === 'undecided');
    if (metric !== undefined)
      return said(': ', ...movedText(metric, placeOf(cell), false), `, but ${doubt}.`);
    const [cost] = undecidedCosts(cell);
    if (cost !== undefined) return said(': ', ...costText(cost, placeOf(cell)), `, but ${doubt}.`);
  }
  const [group] = groupsIn(verdict, 'undecided');
  if (group !== undefined) {
    const where: Phrase = group.scenario === null ? ['all scenarios'] : [{ literal: group.scenario }];
    return said(': taken together, the cells of ', ...where, ` looked worse, but ${doubt}.`);
  }
  const lost = cells.find((cell) => lostCosts(cell).length > 0);
  if (lost !== undefined) {
    const [title = ''] = lostCosts(lost);
    return said(': this commit no longer reports ', { text: title }, ', so it cannot be compared.');
  }
  const beyond = comparison.kind === 'side-by-side' ? comparison.beyondBase?.[0] : undefined;
  if (beyond === undefined) return said(': not everything could be compared.');
  return said(
    ': the base commit fails ',
    ...listed(beyond.endpoints.map((literal): Phrase => [{ literal }])),
    ', which this commit answers, so there is nothing to compare ',
    { literal: beyond.cell, longest: longestCellName },
    ' with.',
  );
}

function nothingToCompare(verdict: Verdict, storedIn: string | undefined): PlainSentence {
  const { comparison } = verdict;
  const cells = countOf(verdict.cells.length, 'cell');
  if (comparison.kind !== 'none' || comparison.reason === 'not-asked') {
    return {
      icon: '⚪',
      word: 'Measured only',
      rest: [`: ${cells}, compared with nothing, as requested.`],
    };
  }
  const stored = storedIn === undefined ? '' : ' Later runs are compared with this one.';
  if (comparison.reason === 'no-baseline') {
    return {
      icon: '⚪',
      word: 'Nothing to compare with yet',
      rest: [`: ${cells} measured, but no earlier run is stored.${stored}`],
    };
  }
  const runs = comparison.mismatches.length;
  const none = runs === 1 ? 'the only stored run was' : `all ${runs} stored runs were`;
  return {
    icon: '⚪',
    word: 'Nothing to compare with',
    rest: [`: ${none} made under other conditions (`, { text: changedConditions(comparison) }, `).${stored}`],
  };
}

/** `, but trip-browse@average was noisy: …`: how large a change would have been noticed in the noisiest cell. */
function blindSpot(verdict: Verdict): Phrase {
  const noisy = cellsIn(verdict, 'coarse');
  const [worst] = noisy
    .flatMap((cell) =>
      cell.metrics.filter(({ outcome }) => outcome === 'coarse').map((metric) => ({ cell, metric })),
    )
    .toSorted(
      (a, b) =>
        b.metric.smallestVisible / Math.abs(b.metric.limit) -
        a.metric.smallestVisible / Math.abs(a.metric.limit),
    );
  if (worst === undefined) return ['.'];
  const size = formatDetectable(worst.metric).replace(/^[+-]/, '');
  const sure = `only a change of ${size} or more in the ${metricNouns[worst.metric.metric]} was sure to show.`;
  return noisy.length === 1
    ? [', but ', cellLiteral(worst.cell), ` was noisy: ${sure}`]
    : [
        `, but ${noisy.length} of ${countOf(verdict.cells.length, 'cell')} were noisy. In `,
        cellLiteral(worst.cell),
        `, ${sure}`,
      ];
}

function passed(verdict: Verdict): PlainSentence {
  const worse = verdict.cells.flatMap((cell) => worseEndpoints(cell).map((endpoint) => ({ cell, endpoint })));
  const [found] = worse;
  if (found !== undefined) {
    const endpoint: PhrasePart = { literal: found.endpoint.name };
    const rest: Phrase = [
      ', but the endpoint ',
      endpoint,
      ' of ',
      ...placeOf(found.cell),
      ` got worse: ${endpointText(found.endpoint)}.`,
    ];
    return { icon: '🟢', word: 'No regression', rest };
  }
  const { comparison } = verdict;
  if (comparison.kind === 'side-by-side' && comparison.stored?.outcome === 'regression') {
    const rest: Phrase = [
      ' against the base commit, but both are worse than the stored runs: either this machine or the base commit is slower.',
    ];
    return { icon: '🟢', word: 'No regression', rest };
  }
  const [better, ...more] = verdict.cells.filter((cell) => movement(cell) === 'improved');
  const metric = better?.metrics.find(({ improved }) => improved);
  if (better !== undefined && metric !== undefined) {
    const word = metrics[metric.metric].family === 'time' ? 'Faster' : 'Better';
    const others = more.length === 0 ? '' : ` ${countOf(more.length, 'more cell')} improved.`;
    return {
      icon: '🟢',
      word,
      rest: [': ', ...movedText(metric, placeOf(better)), `. No regression was found.${others}`],
    };
  }
  if (verdict.outcome === 'coarse')
    return { icon: '🟢', word: 'No regression found', rest: blindSpot(verdict) };
  const [within] = verdict.cells.filter((cell) => movement(cell) === 'worse-within-limit').toSorted(byExcess);
  const slight = within?.metrics.find(isWorseWithinLimit);
  if (within !== undefined && slight !== undefined) {
    const limit = formatMetricChange(slight.metric, slight.limit);
    const rest: Phrase = [
      ': ',
      ...movedText(slight, placeOf(within)),
      `, which the limit of ${limit} allows.`,
    ];
    return { icon: '🟢', word: 'No regression', rest };
  }
  const [only, ...others] = verdict.cells;
  const all: Phrase =
    only !== undefined && others.length === 0
      ? [...placeOf(only), ' is']
      : [`all ${countOf(verdict.cells.length, 'cell')} are`];
  return { icon: '🟢', word: 'No regression', rest: [': ', ...all, ' within the limits.'] };
}

/** The verdict as an icon and one plain sentence. */
export function plainSentence(verdict: Verdict, storedIn: string | undefined): PlainSentence {
  switch (verdict.outcome) {
    case 'invalid':
    case 'noise':
      return notMeasured(verdict);
    case 'regression':
      return { icon: '🔴', ...regressed(verdict, 'regression') };
    case 'accepted': {
      const { word, rest } = regressed(verdict, 'accepted');
      return { icon: '🟡', word: `${word}, but accepted`, rest };
    }
    case 'undecided':
      return cannotTell(verdict);
    default:
      return verdict.comparison.kind === 'none' ? nothingToCompare(verdict, storedIn) : passed(verdict);
  }
}
