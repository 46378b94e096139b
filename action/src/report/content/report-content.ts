import type { CellVerdict, EndpointChange, MetricVerdict, Verdict } from '../../model/verdict.ts';
import { type CellState, cellState, cellsIn, countOf, stateNotes } from './cell-state.ts';
import { mismatchesOf, mismatchNotes, outlierNotes } from './comparison-note.ts';
import {
  cellLiteral,
  comparedTable,
  endpointTable,
  measuredTable,
  metricTable,
  objectiveTable,
  type ReportTable,
  signalTable,
} from './content-table.ts';
import { tellingEndpoints } from './endpoint.ts';
import type { Extent } from './extent.ts';
import { type Headline, headline } from './headline.ts';
import { invalidReasons, type PlacedReason } from './invalid-reason.ts';
import { byExcess } from './metric.ts';
import { type NextStepOptions, nextSteps } from './next-step.ts';
import { missedObjectives } from './objective.ts';
import { listed, type Phrase, type PhrasePart } from './phrase.ts';
import { type ProvenanceFact, provenance } from './provenance.ts';
import { movedSignals, signalMove, signalSentence } from './signal.ts';
import { worseEndpoints, worseEndpointText } from './worse-endpoint.ts';

export interface ReportOptions extends NextStepOptions {
  /** Where everything stands, such as `the run's summary`; with its page if it has one. */
  readonly fullReport: { readonly text: string; readonly url?: string };
  /** `owner/name` of the fork that head comes from; absent if it comes from this repository. */
  readonly fork?: string;
}

/** What a report may leave out; the verdict, the next step and the provenance always stand. */
export type Part = 'changed' | 'notes' | 'endpointTables' | 'folded';

/** Least telling first. */
export const sacrifice: readonly Part[] = ['folded', 'endpointTables', 'notes', 'changed'];

/** How much one kind of report tells. */
export interface ReportDepth {
  /** Endpoints in a table at most. */
  readonly mostEndpoints: number;
  /**
   * changes: what happened. cells: every metric of every cell with what it was held to, and head's figures of all
   * cells. everything: every signal and objective too.
   */
  readonly tells: 'changes' | 'cells' | 'everything';
}

/** A list under a title. */
export interface NoteList {
  readonly title: string;
  readonly items: readonly Phrase[];
}

export interface EndpointSection {
  readonly cell: PhrasePart;
  /** What they did: `grew`. */
  readonly did: string;
  readonly table: ReportTable;
  /** Endpoints beyond those of the table. */
  readonly hidden: number;
}

/** A table of cells in which nothing happened, or nothing that counts. */
export interface CellGroup {
  readonly title: string;
  readonly table: ReportTable;
  /** True if it is all that there is to show. */
  readonly open: boolean;
}

/** Everything that there is to say, before it is known how much of it fits, and before it is Markdown or HTML. */
export interface ReportContent {
  readonly headline: Headline;
  readonly notes: readonly NoteList[];
  readonly changed: ReportTable;
  /** Of each cell that changed, worst first. */
  readonly endpoints: readonly EndpointSection[];
  readonly folded: readonly CellGroup[];
  readonly steps: readonly Phrase[];
  readonly provenance: readonly ProvenanceFact[];
}

/** Cells whose rows stand open, most telling first. */
const openStates: readonly CellState[] = [
  'regression',
  'inconclusive',
  'improved',
  'worse, within the limit',
];

/** What the columns of a metric table mean. */
export const legend =
  'Change: head against base with its 95% interval. Sees: the smallest worsening that would have failed this check, with 80% power.';

export const longestSentence = 800;
export const longestReason = 400;
export const longestFact = 300;
const longestCommand = 200;
const mostNames = 10;

function reasonItem({ reason, ofRun, cells }: PlacedReason): Phrase {
  const where = listed([...(ofRun ? [['the run']] : []), ...cells.map((cell) => [cellLiteral(cell)])]);
  const { code, cause, nextStep } = reason;
  return [
    ...where,
    ': ',
    { text: cause, longest: longestReason },
    ' (',
    { literal: code },
    '). Next: ',
    { text: nextStep, longest: longestReason },
  ];
}

/** Costs that moved; the one in the opening is not said again, and no hint is given twice. */
function costItems(verdict: Verdict, cells: readonly CellVerdict[]): Phrase[] {
  const [worst] = cells;
  const opened = verdict.outcome === 'regression' && worst !== undefined ? movedSignals(worst)[0] : undefined;
  const told = new Set(opened === undefined ? [] : [opened.name]);
  return cells.flatMap((cell) =>
    movedSignals(cell)
      .filter((signal) => signal !== opened)
      .map((signal): Phrase => {
        const text = told.has(signal.name) ? signalMove(signal) : signalSentence(signal);
        told.add(signal.name);
        return [cellLiteral(cell), ': ', { text, longest: longestReason }];
      }),
  );
}

/** Cells that the run ended before, for a reason that is not their own. */
function notMeasured(cells: readonly CellVerdict[]): Phrase[] {
  const names = cells
    .filter(({ head, invalid }) => head.blocks === 0 && invalid.length === 0)
    .map((cell): Phrase => [cellLiteral(cell)]);
  return names.length === 0 ? [] : [listed(names, mostNames)];
}

function mismatchItems(verdict: Verdict): Phrase[] {
  return mismatchNotes(mismatchesOf(verdict)).map(({ title, differences }) => [
    { text: [title, ...differences.slice(0, mostNames)].join('; '), longest: longestReason },
  ]);
}

function notes(verdict: Verdict, byImportance: readonly CellVerdict[]): NoteList[] {
  return [
    { title: 'Not to be trusted', items: invalidReasons(verdict).map(reasonItem) },
    { title: 'Not measured', items: notMeasured(verdict.cells) },
    {
      title: 'Endpoints that are worse by themselves',
      items: verdict.cells.flatMap((cell) =>
        worseEndpoints(cell).map((endpoint) => [
          cellLiteral(cell),
          ': ',
          { text: worseEndpointText(endpoint), longest: longestReason },
        ]),
      ),
    },
    { title: 'Costs that grew', items: costItems(verdict, byImportance) },
    {
      title: 'Objectives missed',
      items: missedObjectives(verdict.cells).map(({ cell, text }) => [cellLiteral(cell), ': ', { text }]),
    },
    {
      title: 'Outlying runs left out',
      items: outlierNotes(verdict).map((text) => [{ text, longest: longestReason }]),
    },
    { title: 'Stored runs, base → head', items: mismatchItems(verdict) },
  ];
}

/** Of a cell that could not see enough, only the metrics that could not. */
function metricsShown(cell: CellVerdict): readonly MetricVerdict[] {
  return cellState(cell) === 'inconclusive'
    ? cell.metrics.filter(({ outcome }) => outcome === 'inconclusive')
    : cell.metrics;
}

function allMetrics({ metrics }: CellVerdict): readonly MetricVerdict[] {
  return metrics;
}

function foldedGroups(verdict: Verdict, { tells }: ReportDepth): CellGroup[] {
  const measured = verdict.cells.filter(({ head }) => head.blocks > 0);
  const nothingCompared = verdict.comparison.kind === 'none';
  const group = (state: CellState, table: (cells: readonly CellVerdict[]) => ReportTable): CellGroup => {
    const cells = cellsIn(verdict, state).filter(({ head }) => head.blocks > 0);
    return {
      title: `${countOf(cells.length, 'cell')} ${stateNotes[state]}`,
      table: table(cells),
      open: state === 'measured' && nothingCompared,
    };
  };
  if (tells === 'changes') {
    return [
      group('invalid', measuredTable),
      group('within noise', comparedTable),
      group('measured', measuredTable),
    ];
  }
  return [
    group('within noise', (cells) => metricTable(cells, allMetrics)),
    {
      title: `Head's figures of ${countOf(measured.length, 'cell')}`,
      table: measuredTable(measured),
      open: nothingCompared,
    },
    ...(tells === 'everything'
      ? [
          { title: 'Costs and gauges, moved or not', table: signalTable(verdict.cells), open: false },
          { title: 'Objectives, met or missed', table: objectiveTable(verdict.cells), open: false },
        ]
      : []),
  ];
}

function endpointSection(cell: CellVerdict, mostEndpoints: number): EndpointSection {
  const endpoints: readonly EndpointChange[] = tellingEndpoints(cell);
  const shown = endpoints.slice(0, mostEndpoints);
  return {
    cell: cellLiteral(cell),
    did: cellState(cell) === 'improved' ? 'became faster' : 'grew',
    table: endpointTable(shown),
    hidden: endpoints.length - shown.length,
  };
}

/** What there is to say of a verdict whose texts are plain and whose names are short. */
export function contentOf(verdict: Verdict, options: ReportOptions, depth: ReportDepth): ReportContent {
  const open = openStates.flatMap((state) => cellsIn(verdict, state).toSorted(byExcess));
  const quiet = verdict.cells.filter((cell) => !openStates.includes(cellState(cell)));
  return {
    headline: headline(verdict, options),
    notes: notes(verdict, [...open, ...quiet]).filter(({ items }) => items.length > 0),
    changed: metricTable(open, depth.tells === 'changes' ? metricsShown : allMetrics),
    endpoints: open
      .filter((cell) => cellState(cell) !== 'inconclusive' && tellingEndpoints(cell).length > 0)
      .map((cell) => endpointSection(cell, depth.mostEndpoints)),
    folded: foldedGroups(verdict, depth).filter(({ table }) => table.entries.length > 0),
    steps: nextSteps(verdict, options).map((step) =>
      step.map((part) => (typeof part === 'string' ? part : { ...part, longest: longestCommand })),
    ),
    provenance: [
      ...(options.fork === undefined
        ? []
        : [{ label: 'from', text: `the fork ${options.fork}, measured by its own run` }]),
      ...provenance(verdict),
      { label: 'config', text: options.configPath },
    ],
  };
}

export function countParts(content: ReportContent): Extent<Part> {
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  return {
    changed: content.changed.entries.length,
    notes: sum(content.notes.map(({ items }) => items.length)),
    endpointTables: content.endpoints.length,
    folded: sum(content.folded.map(({ table }) => table.entries.length)),
  };
}

/** The lists with how many of their entries are shown, if so many are shown of all together. */
export function firstOf<List>(
  lists: readonly List[],
  size: (list: List) => number,
  count: number,
): { readonly list: List; readonly shown: number }[] {
  let left = count;
  return lists.flatMap((list) => {
    const shown = Math.min(size(list), left);
    left -= shown;
    return shown === 0 ? [] : [{ list, shown }];
  });
}

const partNouns: Readonly<Record<Part, string>> = {
  changed: 'changed cell',
  notes: 'note',
  endpointTables: 'endpoint table',
  folded: 'folded row',
};

/** `Left out of this comment for its length: 3 notes, 40 folded rows`; undefined if nothing was. */
export function leftOut(full: Extent<Part>, shown: Extent<Part>, title: string): string | undefined {
  const counts = sacrifice.toReversed().flatMap((part) => {
    const hidden = full[part] - shown[part];
    return hidden === 0 ? [] : [countOf(hidden, partNouns[part])];
  });
  return counts.length === 0 ? undefined : `Left out of this ${title} for its length: ${counts.join(', ')}`;
}
