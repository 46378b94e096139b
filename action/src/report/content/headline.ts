import { byExcess } from '../../model/excess.ts';
import { isDisturbance } from '../../model/invalid-reason.ts';
import { type MetricName, metrics, ratioMetricNames } from '../../model/metric.ts';
import { cellName } from '../../model/run.ts';
import { type CellVerdict, isTimed, type Verdict } from '../../model/verdict.ts';
import { countOf, namesText } from '../format/phrase.ts';
import { acceptedHeadline, acceptedNotes } from './accepted.ts';
import { cellsIn, isRemeasured, movement, worstIn } from './cell-state.ts';
import { comparisonNotes } from './comparison.ts';
import { lostCosts, uncountedNotes } from './costs.ts';
import { undecidedFindings, worseEndpoints, worseEndpointText } from './findings.ts';
import { groupFinding, groupName, groupsIn } from './groups.ts';
import type { Headline } from './headline-text.ts';
import {
  formatBlindness,
  formatDetectable,
  formatFinding,
  formatShift,
  isWorseWithinLimit,
  metricOf,
} from './metric.ts';
import type { NextStepOptions } from './next-step.ts';
import { regression } from './regression.ts';

type HeadlineOptions = Pick<NextStepOptions, 'storedIn'>;

function invalid(verdict: Verdict): Headline {
  const cells = cellsIn(verdict, 'invalid');
  const reasons = [...verdict.invalid, ...cells.flatMap((cell) => cell.invalid)];
  const reason = reasons.find((one) => !isDisturbance(one)) ?? reasons[0];
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

function noise(verdict: Verdict): Headline {
  const cells = cellsIn(verdict, 'noise');
  const [reason] = [...verdict.invalid, ...cells.flatMap(({ invalid }) => invalid)];
  const what =
    verdict.invalid.length > 0 ? 'this run' : `${cells.length} of ${countOf(verdict.cells.length, 'cell')}`;
  return {
    word: 'Noise',
    rest: `: the machine was too disturbed to measure ${what} — ${reason?.cause ?? 'no reason was given'}`,
    because: ['this is neither a pass nor a regression, and a disturbed run never becomes a baseline'],
  };
}

function cellsBeyondBase({ comparison }: Verdict) {
  return comparison.kind === 'side-by-side' ? (comparison.beyondBase ?? []) : [];
}

/** The cells in which a change at the limit could hide, and the one where the largest could. */
function coarseCells(verdict: Verdict): string[] {
  const cells = cellsIn(verdict, 'coarse');
  const [coarsest] = cells
    .flatMap((cell) =>
      cell.metrics
        .filter(({ outcome }) => outcome === 'coarse')
        .map((metric) => ({ cell, metric, ratio: metric.smallestVisible / Math.abs(metric.limit) })),
    )
    .toSorted((a, b) => b.ratio - a.ratio);
  if (coarsest === undefined) return [];
  return [
    `a change at the limit could have gone unnoticed in ${cells.length} of ${countOf(verdict.cells.length, 'cell')}`,
    `${cellName(coarsest.cell)}: ${formatBlindness(coarsest.metric)}`,
  ];
}

function undecided(verdict: Verdict): Headline {
  const cells = worstIn(verdict, 'undecided');
  const uncompared = cellsBeyondBase(verdict).length;
  const all = countOf(verdict.cells.length, 'cell');
  const shared = groupsIn(verdict, 'undecided');
  const lost = cells.filter((cell) => lostCosts(cell).length > 0);
  const suspect = cells.filter((cell) => undecidedFindings(cell).length > 0).length;
  const { comparison } = verdict;
  const spoiled = comparison.kind === 'none' ? [] : (comparison.confirmed?.spoiled ?? []);
  const doubt = isRemeasured(verdict, cells)
    ? 're-measuring neither confirmed nor cleared that'
    : 'one measurement is not enough to prove that';
  const doubts = [
    ...(lost.length === 0
      ? []
      : [
          `${namesText([...new Set(lost.flatMap(lostCosts))])} could not be compared in ${lost.length} of ${all}`,
        ]),
    ...(suspect === 0 && shared.length > 0
      ? [`${namesText(shared.map(groupName))} looked worse, and ${doubt}`]
      : []),
    ...(suspect === 0 ? [] : [`${suspect} of ${all} looked worse, and ${doubt}`]),
    ...(uncompared === 0
      ? []
      : [`${uncompared} of ${all} ${uncompared === 1 ? 'was' : 'were'} not comparable with the base commit`]),
  ];
  const findings = cells.flatMap((cell) => {
    const open = undecidedFindings(cell);
    return open.length === 0 ? [] : [`${cellName(cell)}: ${open.join('; ')}`];
  });
  return {
    word: 'Undecided',
    rest: `: no regression found, but ${doubts.join(', and ')}`,
    because: [
      ...findings.slice(0, 1),
      ...shared.map((group) => groupFinding(group, 'undecided')),
      ...spoiled.slice(0, 1).map((reason) => `the second measurement cannot be trusted: ${reason.cause}`),
      ...coarseCells(verdict),
    ],
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

/** `p95 +29%` for the noisiest cell: a change of that size would have been caught in any cell. */
function detectableEverywhere(cells: readonly CellVerdict[], name: MetricName): string[] {
  return cells
    .flatMap((cell) => metricOf(cell, name) ?? [])
    .toSorted((a, b) => b.smallestVisible - a.smallestVisible)
    .slice(0, 1)
    .map((metric) => `${metrics[name].title} ${formatDetectable(metric)}`);
}

/** `any cell`, or some of them only: a load with a fixed rate, for example, is not judged by its TPS. */
function placesOf(cells: readonly CellVerdict[], names: readonly MetricName[]): string {
  const timed = cells.filter(isTimed);
  if (!timed.every((cell) => names.every((name) => metricOf(cell, name)))) return 'any cell judged by it';
  return timed.length === cells.length ? 'any cell' : 'any timed cell';
}

/** `a change of p95 +29% or TPS -12% would have been caught in any cell`; empty if nothing was compared. */
function caughtInAnyCell({ cells }: Verdict): string[] {
  const names = ratioMetricNames.filter(
    (name) => metrics[name].promised && cells.some((cell) => metricOf(cell, name)),
  );
  const sizes = names.flatMap((name) => detectableEverywhere(cells, name));
  const where = placesOf(cells, names);
  return sizes.length === 0 ? [] : [`a change of ${sizes.join(' or ')} would have been caught in ${where}`];
}

/** A pass of any kind. A coarse one says at once how large a change would have been caught. */
function pass(verdict: Verdict): Headline {
  const [first, ...more] = verdict.cells.filter((cell) => movement(cell) === 'improved');
  const worse = verdict.cells.filter((cell) => movement(cell) === 'worse-within-limit').toSorted(byExcess);
  const improved = first === undefined ? 0 : 1 + more.length;
  const unchanged = verdict.cells.length - improved - worse.length;
  const [word, said, explained] =
    verdict.outcome === 'coarse'
      ? ['Pass, coarse', caughtInAnyCell(verdict), coarseCells(verdict)]
      : ['Pass', [], caughtInAnyCell(verdict)];
  const others = [
    ...(unchanged === 0 ? [] : [`${unchanged} unchanged`]),
    ...(worse.length === 0 ? [] : [`${worse.length} worse but within the limit`]),
  ].join(', ');
  const because = [
    ...worse.slice(0, 1).map((cell) => {
      const findings = cell.metrics.filter(isWorseWithinLimit).map(formatFinding);
      return `${cellName(cell)} got worse, but stays within the limit: ${findings.join('; ')}`;
    }),
    ...explained,
  ];
  const names = more.length === 0 ? '' : ` and ${more.length} more`;
  const findings = first?.metrics.filter((metric) => metric.improved).map(formatShift) ?? [];
  const parts = [
    ...(first === undefined ? [] : [`${cellName(first)}${names} improved — ${findings.join('; ')}`]),
    ...(others === '' ? [] : [others]),
    ...said,
  ];
  return { word, rest: `: ${parts.join('; ')}`, because };
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
  const rest = `: measured ${cells}, but ${none}${stored}`;
  if (verdict.outcome !== 'undecided') return { word: 'Not comparable', rest, because: [] };
  const because = ['this checkout changed the conditions, so the check cannot say what else it changed'];
  return { word: 'Undecided', rest, because };
}

function judged(verdict: Verdict, options: HeadlineOptions): Headline {
  if (verdict.outcome === 'regression') return regression(verdict);
  if (verdict.outcome === 'accepted') return acceptedHeadline(verdict);
  if (verdict.comparison.kind === 'none') return nothingCompared(verdict, options);
  return verdict.outcome === 'undecided' ? undecided(verdict) : pass(verdict);
}

/** What else is to be known about a judged run: what was not compared, what other comparisons say, and objectives. */
export function circumstances(verdict: Verdict): readonly string[] {
  const objectives = verdict.cells.flatMap((cell) => cell.objectives);
  const missed = objectives.filter(({ met }) => !met).length;
  const decisive = objectives.filter(({ judged: decides }) => decides === true).length;
  return [
    ...uncountedNotes(verdict),
    ...beyondBase(verdict),
    ...worseInside(verdict),
    ...comparisonNotes(verdict),
    ...(missed === 0 ? [] : [`${countOf(missed, 'objective')} missed`]),
    ...(missed > 0 || decisive === 0 ? [] : [`${countOf(decisive, 'objective')} met`]),
  ];
}

/** The verdict in one sentence, with what explains it. */
export function headline(verdict: Verdict, options: HeadlineOptions = {}): Headline {
  if (verdict.outcome === 'invalid') return invalid(verdict);
  if (verdict.outcome === 'noise') return noise(verdict);
  const { because, ...said } = judged(verdict, options);
  return {
    ...said,
    because: [
      ...because,
      ...(verdict.outcome === 'accepted' ? [] : acceptedNotes(verdict)),
      ...circumstances(verdict),
    ],
  };
}
