import type { CellVerdict, MetricVerdict, Verdict } from '../model/verdict.ts';
import { type CellState, cellState, cellsIn, countOf, stateNotes } from './cell-state.ts';
import { mismatchesOf, mismatchNotes } from './comparison-note.ts';
import { tellingEndpoints } from './endpoint.ts';
import { type Extent, shrinkToFit } from './extent.ts';
import { headline } from './headline.ts';
import { invalidReasons, namesText, type PlacedReason } from './invalid-reason.ts';
import {
  cellCode,
  comparedTable,
  endpointTable,
  measuredTable,
  metricTable,
  type Table,
  tableText,
} from './markdown-table.ts';
import { markdownCode, markdownInline, markdownLink, markdownText } from './markdown-text.ts';
import { byExcess } from './metric.ts';
import { type NextStepOptions, nextSteps, type Step } from './next-step.ts';
import { missedObjectives } from './objective.ts';
import { provenance } from './provenance.ts';
import { withShortNames } from './short-names.ts';
import { movedSignals, signalMove, signalSentence } from './signal.ts';

export interface MarkdownReportOptions extends NextStepOptions {
  /** Where everything stands, such as `the run's summary`; with its page if it has one. */
  readonly fullReport: { readonly text: string; readonly url?: string };
  /** `owner/name` of the fork that head comes from; absent if it comes from this repository. */
  readonly fork?: string;
}

/** What a report may leave out; the verdict, the next step and the provenance always stand. */
export type Part = 'changed' | 'notes' | 'endpointTables' | 'folded';

/** How one kind of report differs from the other. */
export interface MarkdownLayout {
  /** What it is called where something is left out of it. */
  readonly title: string;
  /** Entries of each part at most, however much room there is. */
  readonly most: Extent<Part>;
  /** Endpoints in a table at most. */
  readonly mostEndpoints: number;
  /** Every metric of every cell with what it was held to, and head's figures of all cells. */
  readonly everyCell: boolean;
  /** Whether a text of that length is accepted. */
  readonly fits: (text: string) => boolean;
}

/** Least telling first. */
const sacrifice: readonly Part[] = ['folded', 'endpointTables', 'notes', 'changed'];

/** Cells whose rows stand open, most telling first. */
const openStates: readonly CellState[] = ['regression', 'inconclusive', 'improved'];

const longestSentence = 800;
const longestReason = 400;
const longestFact = 300;
const longestCommand = 200;
const mostNames = 10;

/** A list under a title. */
interface NoteList {
  readonly title: string;
  readonly items: readonly string[];
}

/** A table of cells in which nothing happened, or nothing that counts. */
interface CellGroup {
  readonly title: string;
  readonly table: Table;
  /** True if it is all that there is to show. */
  readonly open: boolean;
}

/** Everything that there is to say, before it is known how much of it fits. */
interface Content {
  readonly opening: string;
  readonly notes: readonly NoteList[];
  readonly changed: Table;
  /** Of each cell that changed, worst first. */
  readonly endpoints: readonly string[];
  readonly folded: readonly CellGroup[];
  readonly steps: readonly string[];
  readonly provenance: string;
}

function opening(verdict: Verdict, options: MarkdownReportOptions): string {
  const { word, sentence, because } = headline(verdict, options);
  const line = markdownText(sentence, longestSentence);
  return [
    `**${word}**${line.slice(word.length)}`,
    ...(because.length === 0 ? [] : ['']),
    ...because.map((reason) => `- ${markdownText(reason, longestReason)}`),
  ].join('\n');
}

function reasonItem({ reason, ofRun, cells }: PlacedReason): string {
  const where = namesText([...(ofRun ? ['the run'] : []), ...cells.map(cellCode)]);
  const { code, cause, nextStep } = reason;
  return `${where}: ${markdownInline(cause, longestReason)} (${markdownCode(code)}). Next: ${markdownInline(nextStep, longestReason)}`;
}

/** Costs that moved; the one in the opening is not said again, and no hint is given twice. */
function costItems(verdict: Verdict, cells: readonly CellVerdict[]): string[] {
  const [worst] = cells;
  const opened = verdict.outcome === 'regression' && worst !== undefined ? movedSignals(worst)[0] : undefined;
  const told = new Set(opened === undefined ? [] : [opened.name]);
  return cells.flatMap((cell) =>
    movedSignals(cell)
      .filter((signal) => signal !== opened)
      .map((signal) => {
        const text = told.has(signal.name) ? signalMove(signal) : signalSentence(signal);
        told.add(signal.name);
        return `${cellCode(cell)}: ${markdownInline(text, longestReason)}`;
      }),
  );
}

/** Cells that the run ended before, for a reason that is not their own. */
function notMeasured(cells: readonly CellVerdict[]): string[] {
  const names = cells.filter(({ head, invalid }) => head.blocks === 0 && invalid.length === 0).map(cellCode);
  return names.length === 0 ? [] : [namesText(names, mostNames)];
}

function mismatchItems(verdict: Verdict): string[] {
  return mismatchNotes(mismatchesOf(verdict)).map(({ title, differences }) =>
    markdownText([title, ...differences.slice(0, mostNames)].join('; '), longestReason),
  );
}

function notes(verdict: Verdict, byImportance: readonly CellVerdict[]): NoteList[] {
  return [
    { title: 'Not to be trusted', items: invalidReasons(verdict).map(reasonItem) },
    { title: 'Not measured', items: notMeasured(verdict.cells) },
    { title: 'Costs that grew', items: costItems(verdict, byImportance) },
    {
      title: 'Objectives missed',
      items: missedObjectives(verdict.cells).map(
        ({ cell, text }) => `${cellCode(cell)}: ${markdownInline(text)}`,
      ),
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

function foldedGroups(verdict: Verdict, { everyCell }: MarkdownLayout): CellGroup[] {
  const measured = verdict.cells.filter(({ head }) => head.blocks > 0);
  const nothingCompared = verdict.comparison.kind === 'none';
  const group = (state: CellState, table: (cells: readonly CellVerdict[]) => Table): CellGroup => {
    const cells = cellsIn(verdict, state).filter(({ head }) => head.blocks > 0);
    return {
      title: `${countOf(cells.length, 'cell')} ${stateNotes[state]}`,
      table: table(cells),
      open: state === 'measured' && nothingCompared,
    };
  };
  if (!everyCell) {
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
  ];
}

function stepLine(step: Step): string {
  const parts = step.map((part) =>
    typeof part === 'string' ? part : markdownCode(part.literal, longestCommand),
  );
  return `**Next:** ${parts.join('')}`;
}

function provenanceLine(verdict: Verdict, options: MarkdownReportOptions): string {
  const facts = [
    ...(options.fork === undefined
      ? []
      : [{ label: 'from', text: `the fork ${options.fork}, measured by its own run` }]),
    ...provenance(verdict),
    { label: 'config', text: options.configPath },
  ];
  return [
    ...facts.map(({ label, text }) => `${label} ${markdownInline(text, longestFact)}`),
    `figures ${link(options)}`,
  ].join(' · ');
}

function link({ fullReport }: MarkdownReportOptions): string {
  return markdownLink(fullReport.text, fullReport.url);
}

function contentOf(verdict: Verdict, options: MarkdownReportOptions, layout: MarkdownLayout): Content {
  const open = openStates.flatMap((state) => cellsIn(verdict, state).toSorted(byExcess));
  const quiet = verdict.cells.filter((cell) => !openStates.includes(cellState(cell)));
  return {
    opening: opening(verdict, options),
    notes: notes(verdict, [...open, ...quiet]).filter(({ items }) => items.length > 0),
    changed: metricTable(open, layout.everyCell ? allMetrics : metricsShown),
    endpoints: open
      .filter((cell) => cellState(cell) !== 'inconclusive' && tellingEndpoints(cell).length > 0)
      .map((cell) => endpointBlock(cell, layout.mostEndpoints)),
    folded: foldedGroups(verdict, layout).filter(({ table }) => table.entries.length > 0),
    steps: nextSteps(verdict, options).map(stepLine),
    provenance: provenanceLine(verdict, options),
  };
}

function countParts(content: Content): Extent<Part> {
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  return {
    changed: content.changed.entries.length,
    notes: sum(content.notes.map(({ items }) => items.length)),
    endpointTables: content.endpoints.length,
    folded: sum(content.folded.map(({ table }) => table.entries.length)),
  };
}

/** The lists with how many of their entries are shown, if so many are shown of all together. */
function firstOf<List>(
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

function folded(title: string, body: string): string {
  return `<details>\n<summary>${title}</summary>\n\n${body}\n\n</details>`;
}

function endpointBlock(cell: CellVerdict, mostEndpoints: number): string {
  const what = cellState(cell) === 'improved' ? 'became faster' : 'grew';
  return `Endpoints of ${cellCode(cell)} that ${what}:\n\n${endpointTable(tellingEndpoints(cell), mostEndpoints)}`;
}

/** The worst cell's endpoints stand open, those of the others are folded. */
function endpointSection([worst, ...others]: readonly string[]): string[] {
  if (worst === undefined) return [];
  if (others.length === 0) return [worst];
  return [worst, folded(`Endpoints of ${countOf(others.length, 'more cell')}`, others.join('\n\n'))];
}

const partNouns: Readonly<Record<Part, string>> = {
  changed: 'changed cell',
  notes: 'note',
  endpointTables: 'endpoint table',
  folded: 'folded row',
};

function leftOut(
  full: Extent<Part>,
  shown: Extent<Part>,
  options: MarkdownReportOptions,
  title: string,
): string[] {
  const counts = sacrifice.toReversed().flatMap((part) => {
    const hidden = full[part] - shown[part];
    return hidden === 0 ? [] : [countOf(hidden, partNouns[part])];
  });
  return counts.length === 0
    ? []
    : [`Left out of this ${title} for its length: ${counts.join(', ')}. All of it: ${link(options)}.`];
}

const legend =
  'Change: head against base with its 95% interval. Sees: the smallest worsening that this run would have shown.';

function render(
  content: Content,
  extent: Extent<Part>,
  options: MarkdownReportOptions,
  title: string,
): string {
  const groups = firstOf(content.folded, ({ table }) => table.entries.length, extent.folded);
  return [
    content.opening,
    ...(extent.changed === 0 ? [] : [tableText(content.changed, extent.changed), legend]),
    ...endpointSection(content.endpoints.slice(0, extent.endpointTables)),
    ...firstOf(content.notes, ({ items }) => items.length, extent.notes).map(
      ({ list, shown }) =>
        `**${list.title}**\n\n${list.items
          .slice(0, shown)
          .map((item) => `- ${item}`)
          .join('\n')}`,
    ),
    ...groups.flatMap(({ list, shown }) => (list.open ? [tableText(list.table, shown)] : [])),
    ...content.steps,
    ...groups.flatMap(({ list, shown }) =>
      list.open ? [] : [folded(list.title, tableText(list.table, shown))],
    ),
    ...leftOut(countParts(content), extent, options, title),
    content.provenance,
  ].join('\n\n');
}

/** The verdict as Markdown, as much of it as the layout accepts; `frame` adds what stands around it. */
export function markdownReport(
  untrusted: Verdict,
  options: MarkdownReportOptions,
  layout: MarkdownLayout,
  frame: (report: string) => string,
): string {
  const verdict = withShortNames(untrusted);
  const content = contentOf(verdict, options, layout);
  const full = countParts(content);
  const most = {
    changed: Math.min(full.changed, layout.most.changed),
    notes: Math.min(full.notes, layout.most.notes),
    endpointTables: Math.min(full.endpointTables, layout.most.endpointTables),
    folded: Math.min(full.folded, layout.most.folded),
  };
  const text = (extent: Extent<Part>) => frame(render(content, extent, options, layout.title));
  return text(shrinkToFit(most, sacrifice, (extent) => layout.fits(text(extent))));
}
