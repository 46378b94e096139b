import { byExcess } from '../../model/excess.ts';
import { isDisturbance } from '../../model/invalid-reason.ts';
import { type CellVerdict, isTimed, type MetricVerdict, type Verdict } from '../../model/verdict.ts';
import { countOf, listed, type Phrase } from '../format/phrase.ts';
import { type CellState, cellState, cellsIn } from './cell-state.ts';
import { mismatchNotes, outlierNotes, provenance, remeasuredFigures } from './comparison.ts';
import { failedScenarios } from './costs.ts';
import { dipsText, growthText } from './course.ts';
import {
  invalidReasons,
  missedObjectives,
  movedSignals,
  type PlacedReason,
  signalMove,
  signalSentence,
  worseEndpoints,
  worseEndpointText,
} from './findings.ts';
import { groupsIn } from './groups.ts';
import { headline } from './headline.ts';
import { machineSpeed } from './machine-speed.ts';
import { formatShift } from './metric.ts';
import { type NextStepOptions, nextSteps } from './next-step.ts';
import type { Report, Section } from './report-parts.ts';
import { withShortNames } from './short-names.ts';
import {
  cellLiteral,
  cellSubject,
  comparedTable,
  courseTable,
  endpointTable,
  groupSubject,
  measuredTable,
  metricTable,
  objectiveTable,
  signalTable,
  type Table,
} from './tables.ts';
import { whichCode } from './which-code.ts';

export interface ContentOptions extends NextStepOptions {
  /** Where the reader finds everything, such as `the run's summary`, with its page if it has one. */
  readonly fullReport: { readonly text: string; readonly url?: string };
  /** Page of the repository, such as `https://github.com/owner/name`; absent where commits are not linked. */
  readonly repositoryUrl?: string;
  /** `owner/name` of the fork that head comes from; absent if it comes from this repository. */
  readonly fork?: string;
}

/** How much one output says. */
export interface Depth {
  /** Endpoints per cell at most. */
  readonly mostEndpoints: number;
  /**
   * changes: what happened. cells: every metric of every cell, and the figures of head for all cells. everything: every
   * signal and objective too.
   */
  readonly detail: 'changes' | 'cells' | 'everything';
}

/** Cells whose rows are never folded, most important first. */
const openStates: readonly CellState[] = [
  'regression',
  'accepted',
  'undecided',
  'coarse',
  'improved',
  'worse-within-limit',
];

const metricNote =
  'Base and head: as measured. Change: what is left after dividing out how fast the machine ran, with its 95% interval. Detects: the smallest worsening that would have been noticed with 95% power.';

const longestSentence = 800;
const longestReason = 400;
const longestFact = 300;
const mostNames = 10;

function shortened(text: string): Phrase {
  return [{ text, longest: longestReason }];
}

function aboutCell(cell: CellVerdict, text: string): Phrase {
  return [cellLiteral(cell), ': ', ...shortened(text)];
}

function itemAbout(cell: CellVerdict, text: string | undefined): Phrase[] {
  return text === undefined ? [] : [aboutCell(cell, text)];
}

function reasonItem({ reason, ofRun, cells }: PlacedReason): Phrase {
  const { code, cause, nextStep } = reason;
  const where = listed([...(ofRun ? [['the run']] : []), ...cells.map((cell) => [cellLiteral(cell)])]);
  return [...where, ': ', ...shortened(cause), ' (', { literal: code }, '). Next: ', ...shortened(nextStep)];
}

/**
 * Costs that got worse, without the one in the headline and with each hint only once. Those that fail the check are in the
 * headline and in the rows of their cells.
 */
function costItems(verdict: Verdict, cells: readonly CellVerdict[]): Phrase[] {
  const [worst] = cells;
  const [failed] = failedScenarios(verdict);
  const quoted = verdict.outcome === 'regression' && worst !== undefined ? movedSignals(worst)[0] : undefined;
  const opened = failed === undefined ? quoted : failed.costs[0].signal;
  const explained = new Set(opened === undefined ? [] : [opened.name]);
  return cells.flatMap((cell) =>
    movedSignals(cell)
      .filter((signal) => signal !== opened && !signal.failed)
      .map((signal): Phrase => {
        const text = explained.has(signal.name) ? signalMove(signal) : signalSentence(signal);
        explained.add(signal.name);
        return aboutCell(cell, text);
      }),
  );
}

/** Cells that the run never reached; those with a reason of their own are listed with it. */
function notMeasured(cells: readonly CellVerdict[]): Phrase[] {
  const names = cells
    .filter(({ head, invalid }) => head.blocks === 0 && invalid.length === 0)
    .map((cell): Phrase => [cellLiteral(cell)]);
  return names.length === 0 ? [] : [listed(names, mostNames)];
}

function judgingTitle({ judgedByDefaultBranch }: Verdict): string {
  return judgedByDefaultBranch === true
    ? 'Judged by the limits of the default branch; the change has others'
    : 'The change also shapes how it is judged';
}

/** What the change does to judging itself. */
export function judgingItems({ judgingChanges = [] }: Verdict): Phrase[] {
  return judgingChanges.map(({ what, change }) => [{ literal: what }, ': ', ...shortened(change)]);
}

/** `trip-edit@peak: since v1.4.0: p95 +34% [+28, +41]`. */
export function sinceItems({ since = [] }: Verdict): Phrase[] {
  return since.map((one) => [
    cellLiteral(one),
    ': since ',
    { literal: one.release },
    `: ${formatShift(one.metric)}`,
  ]);
}

function notes(verdict: Verdict, byImportance: readonly CellVerdict[]): Section<Phrase>[] {
  const { cells } = verdict;
  const reasons = invalidReasons(verdict);
  const disturbed = reasons.filter(({ reason }) => isDisturbance(reason));
  const broken = reasons.filter(({ reason }) => !isDisturbance(reason));
  const lists: readonly (readonly [string, readonly Phrase[]])[] = [
    ['Which code', whichCode(verdict)],
    [judgingTitle(verdict), judgingItems(verdict)],
    ['Invalid measurements', broken.map(reasonItem)],
    ['Disturbed measurements', disturbed.map(reasonItem)],
    ['Not measured', notMeasured(cells)],
    [
      'Endpoints that got worse',
      cells.flatMap((cell) =>
        worseEndpoints(cell).map((endpoint) => aboutCell(cell, worseEndpointText(endpoint))),
      ),
    ],
    ['Worse than in a pinned release', sinceItems(verdict)],
    ['Costs that got worse', costItems(verdict, byImportance)],
    ['Dips in throughput', cells.flatMap((cell) => itemAbout(cell, dipsText(cell)))],
    ['Grew over time', cells.flatMap((cell) => itemAbout(cell, growthText(cell)))],
    ['Objectives missed', missedObjectives(cells).map(({ cell, text }) => aboutCell(cell, text))],
    ['Outlying stored runs, left out', outlierNotes(verdict).map(shortened)],
    ['Stored runs that are not comparable, base → head', mismatchNotes(verdict).map(shortened)],
  ];
  return lists.map(([title, items]) => ({
    part: 'notes',
    title,
    columns: [],
    entries: items.map((item) => [{ cells: [item] }]),
  }));
}

function allMetrics({ metrics }: CellVerdict): readonly MetricVerdict[] {
  return metrics;
}

/** Of a coarse cell, only the metrics in which a change at the limit could hide. */
function decisiveMetrics(cell: CellVerdict): readonly MetricVerdict[] {
  return cellState(cell) === 'coarse'
    ? cell.metrics.filter(({ outcome, provedWorse }) => outcome === 'coarse' || provedWorse)
    : cell.metrics;
}

function foldedSections(verdict: Verdict, { detail }: Depth): Section<Phrase>[] {
  const nothingCompared = verdict.comparison.kind === 'none';
  const measured = verdict.cells.filter(({ head }) => head.blocks > 0);
  const inState = (state: CellState) => measured.filter((cell) => cellState(cell) === state);
  const folded = (title: string, table: Table, isFolded = true): Section<Phrase> => ({
    part: 'folded',
    title,
    folded: isFolded,
    ...table,
  });
  const long = measured.filter(({ course }) => course !== undefined);
  const overTime = folded(`${countOf(long.length, 'cell')} over time`, courseTable(long));
  const unchanged = inState('unchanged').filter(isTimed);
  const counted = inState('unchanged').filter((cell) => !isTimed(cell));
  const unchangedTitle = countOf(unchanged.length, 'unchanged cell');
  const countedTitle = `${countOf(counted.length, 'cell')} with unchanged counts, not judged by times`;
  if (detail === 'changes') {
    // Also those that an objective alone turns red.
    const single = measured.filter(
      ({ metrics, invalid, unanswered }) =>
        metrics.length === 0 && invalid.length === 0 && unanswered === undefined,
    );
    const silent = measured.filter(({ metrics, unanswered }) => metrics.length === 0 && unanswered);
    const doubtful = (cells: readonly CellVerdict[], noun: string) =>
      folded(`${countOf(cells.length, noun)}: do not trust these figures`, measuredTable(cells));
    return [
      doubtful(inState('invalid'), 'invalid cell'),
      doubtful(inState('noise'), 'disturbed cell'),
      doubtful(silent, 'unanswered cell'),
      folded(unchangedTitle, comparedTable(unchanged)),
      folded(countedTitle, comparedTable(counted)),
      folded(countOf(single.length, 'measured cell'), measuredTable(single), !nothingCompared),
      overTime,
    ];
  }
  return [
    folded(unchangedTitle, metricTable(unchanged.map((cell) => cellSubject(cell, allMetrics)))),
    folded(countedTitle, metricTable(counted.map((cell) => cellSubject(cell, allMetrics)))),
    folded(
      `Figures of head in ${countOf(measured.length, 'cell')}`,
      measuredTable(measured),
      !nothingCompared,
    ),
    overTime,
    ...(detail === 'everything'
      ? [
          folded('All costs and gauges', signalTable(verdict.cells)),
          folded('All objectives', objectiveTable(verdict.cells)),
        ]
      : []),
  ];
}

function openCells(verdict: Verdict): readonly CellVerdict[] {
  return openStates.flatMap((state) => cellsIn(verdict, state).toSorted(byExcess));
}

function quietCells({ cells }: Verdict): readonly CellVerdict[] {
  return cells.filter((cell) => !openStates.includes(cellState(cell)));
}

export function cellsByImportance(verdict: Verdict): readonly CellVerdict[] {
  return [...openCells(verdict), ...quietCells(verdict)];
}

/** Everything to say about a verdict at that depth. */
export function reportContent(untrusted: Verdict, options: ContentOptions, depth: Depth): Report<Phrase> {
  const verdict = withShortNames(untrusted);
  const open = openCells(verdict);
  const quiet = quietCells(verdict);
  const explained = open.filter((cell) => cellState(cell) !== 'coarse');
  const { word, rest, because } = headline(verdict, options);
  const { text: place, url } = options.fullReport;
  const fullReport: Phrase = [{ link: place, ...(url === undefined ? {} : { address: url }) }];
  const facts = [
    ...(options.fork === undefined ? [] : [['from', `the fork ${options.fork}, measured by its own run`]]),
    ...provenance(verdict),
    ...machineSpeed(verdict),
    ['config', options.configPath],
    ...(verdict.replacedOptions === undefined
      ? []
      : [['load', `of gate.yml, instead of ${verdict.replacedOptions.join(', ')}`]]),
  ];
  const changed = metricTable([
    ...open.map((cell) => cellSubject(cell, depth.detail === 'changes' ? decisiveMetrics : allMetrics)),
    ...(['regression', 'undecided', 'accepted'] as const)
      .flatMap((outcome) => groupsIn(verdict, outcome))
      .map(groupSubject),
  ]);
  const sections: Section<Phrase>[] = [
    {
      part: 'changed',
      title: 'What changed',
      note: [metricNote, ...remeasuredFigures(verdict, changed.entries)].join(' '),
      ...changed,
    },
    { part: 'endpoints', title: 'Endpoints', ...endpointTable(explained, depth.mostEndpoints) },
    ...notes(verdict, [...open, ...quiet]),
    ...foldedSections(verdict, depth),
  ];
  return {
    outcome: verdict.outcome === 'pass' && verdict.comparison.kind === 'none' ? 'measured' : verdict.outcome,
    sentence: [{ strong: word }, { text: rest, longest: longestSentence }],
    because: because.map(shortened),
    sections: sections.filter(({ entries }) => entries.length > 0),
    steps: nextSteps(verdict, options),
    facts: [
      ...facts.map(([label = '', text = '']) => ({
        label,
        text: [{ text, longest: longestFact }],
      })),
      { label: 'figures', text: fullReport },
    ],
    fullReport,
  };
}
