import { byExcess } from '../../model/excess.ts';
import { metrics } from '../../model/metric.ts';
import { cellName } from '../../model/run.ts';
import type { CellVerdict, EndpointChange, Verdict } from '../../model/verdict.ts';
import { formatMsChange, formatShare } from '../format/number.ts';
import { countOf } from '../format/phrase.ts';
import { cellsIn, worstIn } from './cell-state.ts';
import { costsText, type FailedScenario, failedScenarios } from './costs.ts';
import { missedObjectives, movedSignals, signalSentence, unansweredTexts } from './findings.ts';
import { groupFinding, groupsIn } from './groups.ts';
import type { Headline } from './headline-text.ts';
import { formatFinding, formatMove, regressedMetrics } from './metric.ts';

/** An endpoint whose own share of its growth is smaller does not stand out from the others. */
const standsOutShare = 0.25;

/** If more of the growth is the endpoint's own, what the others grew by is not worth a word. */
const nearlyAll = 0.9;

/** An endpoint that grew by less of its own time is not named as the one behind a counted cost. */
const causeShare = 0.25;

/** More scenarios than this are only counted, since the rows of their cells show the costs too. */
const mostScenarios = 3;

/** Shorter queues leave more of an endpoint's time to its own work. */
export function calmest(cells: readonly CellVerdict[]): CellVerdict | undefined {
  return cells.toSorted((a, b) => a.vus - b.vus)[0];
}

/** The part of an endpoint's growth that it does not share. A single endpoint shares its wait with nothing. */
function ownShareOf(endpoint: EndpointChange, { endpoints }: CellVerdict): number {
  return endpoints.length === 1 ? 1 : endpoint.beyondSharedMs / (endpoint.head.meanMs - endpoint.base.meanMs);
}

/** True if no endpoint of the cell grew much more than the others. */
export function slowedAlike(cell: CellVerdict): boolean {
  const [endpoint] = cell.endpoints;
  return endpoint !== undefined && ownShareOf(endpoint, cell) < standsOutShare;
}

/** True if the endpoint of the cell that grew most explains counted costs. */
export function isBehindCosts(cell: CellVerdict): boolean {
  const [endpoint] = cell.endpoints;
  return (
    endpoint !== undefined &&
    endpoint.beyondSharedMs > causeShare * endpoint.base.meanMs &&
    !slowedAlike(cell)
  );
}

/** The endpoint that explains a slower cell; `where` names the cell if the sentence before does not. */
function slowestEndpoint(cell: CellVerdict, where: string): string | undefined {
  const [endpoint] = cell.endpoints;
  if (endpoint === undefined || endpoint.shareOfAddedTime === 0) return undefined;
  const growthMs = endpoint.head.meanMs - endpoint.base.meanMs;
  const added = `${formatMsChange(growthMs)} mean, ${formatShare(endpoint.shareOfAddedTime)} of the added time`;
  if (slowedAlike(cell)) {
    return `all endpoints slowed alike${where}, so they wait for a shared resource; ${endpoint.name} added the most time (${added})`;
  }
  const beyond =
    ownShareOf(endpoint, cell) > nearlyAll
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

/** `trip-edit@peak — p95 +48% [+31, +66], limit +25% (worst of 2 cells)`. */
function timesText(worst: CellVerdict, count: number): string {
  const others = count === 1 ? '' : ` (worst of ${count} cells)`;
  return `${cellName(worst)} — ${regressedMetrics(worst).map(formatFinding).join('; ')}${others}`;
}

function timeRegression(cells: readonly CellVerdict[], shared: readonly string[]): Headline {
  const [worst] = cells;
  if (worst === undefined) {
    const [first = '', ...more] = shared;
    return { word: 'Regression', rest: `: ${first}`, because: more };
  }
  const slower = regressedMetrics(worst).some(({ metric }) => metrics[metric].family === 'time');
  const calm = calmest(cells.filter(({ scenario }) => scenario === worst.scenario)) ?? worst;
  const endpoint = slower
    ? slowestEndpoint(calm, calm === worst ? '' : ` in ${cellName(calm)}`)
    : failingEndpoint(worst);
  return {
    word: 'Regression',
    rest: `: ${timesText(worst, cells.length)}`,
    because: [
      ...(endpoint === undefined ? [] : [endpoint]),
      ...movedSignals(worst).slice(0, 1).map(signalSentence),
      ...shared,
    ],
  };
}

/** The endpoint behind counted costs, in the calmest cell that they fail; undefined unless one stands out. */
function costliestEndpoint(scenarios: readonly FailedScenario[]): string | undefined {
  const calm = calmest(scenarios.flatMap(({ cells }) => cells));
  return calm !== undefined && isBehindCosts(calm)
    ? slowestEndpoint(calm, ` in ${cellName(calm)}`)
    : undefined;
}

/** `also trip-browse — …`, for scenarios that the sentence before does not name. */
function alsoDearer(scenarios: readonly FailedScenario[]): readonly string[] {
  const hidden = scenarios.length - mostScenarios;
  return [
    ...scenarios.slice(0, mostScenarios).map((one) => `also ${one.scenario} — ${costsText(one)}`),
    ...(hidden > 0 ? [`and ${countOf(hidden, 'more scenario')}, see below`] : []),
  ];
}

/** Counted costs lead, because they are certain while times vary. */
function costRegression(
  scenarios: readonly [FailedScenario, ...FailedScenario[]],
  timed: readonly CellVerdict[],
): Headline {
  const [first, ...others] = scenarios;
  const { title, hint } = first.costs[0].signal;
  const [worst] = timed;
  const endpoint = costliestEndpoint(scenarios);
  return {
    word: 'Regression',
    rest: `: ${first.scenario} — ${costsText(first)}`,
    because: [
      ...alsoDearer(others),
      ...(endpoint === undefined ? [] : [endpoint]),
      ...(hint === '' ? [] : [`${title}: ${hint}`]),
      ...(worst === undefined ? [] : [`also regressed: ${timesText(worst, timed.length)}`]),
    ],
  };
}

/** A service that does not answer leads, because nothing is worse. */
function unansweredRegression(
  [first = '', ...more]: readonly string[],
  dearer: readonly FailedScenario[],
  timed: readonly CellVerdict[],
  shared: readonly string[],
): Headline {
  const [worst] = timed;
  return {
    word: 'Regression',
    rest: `: ${first}`,
    because: [
      ...more,
      ...alsoDearer(dearer),
      ...(worst === undefined ? [] : [`also regressed: ${timesText(worst, timed.length)}`]),
      ...shared,
    ],
  };
}

/** What a regression is and what explains it. */
export function regression(verdict: Verdict): Headline {
  const cells = cellsIn(verdict, 'regression').toSorted(byExcess);
  const timed = worstIn(verdict, 'regression').filter((cell) => regressedMetrics(cell).length > 0);
  const shared = [
    ...groupsIn(verdict, 'regression').map((group) => groupFinding(group, 'regression')),
    ...missedObjectives(cells)
      .filter(({ fails }) => fails)
      .map(({ cell, text }) => `${cellName(cell)} — ${text}`),
  ];
  const unanswered = cells.flatMap((cell) =>
    unansweredTexts(cell).map((text) => `${cellName(cell)} — ${text}`),
  );
  const dearer = failedScenarios(verdict);
  const [first, ...others] = dearer;
  const counted =
    first === undefined ? timeRegression(timed, shared) : costRegression([first, ...others], timed);
  const said = unanswered.length === 0 ? counted : unansweredRegression(unanswered, dearer, timed, shared);
  const invalid = cellsIn(verdict, 'invalid').length + cellsIn(verdict, 'noise').length;
  const disturbed = cells.filter((cell) => cell.invalid.length > 0).length;
  return {
    ...said,
    because: [
      ...said.because,
      ...(disturbed === 0
        ? []
        : [`${countOf(disturbed, 'cell')} too disturbed to time, so judged by counts alone`]),
      ...(invalid === 0 ? [] : [`${countOf(invalid, 'other cell')} could not be judged, see below`]),
    ],
  };
}
