import type { Verdict } from '../../model/verdict.ts';
import { countOf } from '../content/cell-state.ts';
import { type Extent, shrinkToFit } from '../content/extent.ts';
import {
  contentOf,
  countParts,
  type EndpointSection,
  firstOf,
  leftOut,
  legend,
  longestFact,
  longestReason,
  longestSentence,
  type Part,
  type ReportContent,
  type ReportDepth,
  type ReportOptions,
  sacrifice,
} from '../content/report-content.ts';
import { withShortNames } from '../content/short-names.ts';
import { type MarkdownTable, tableText, toMarkdown } from '../format/markdown-table.ts';
import { markdownInline, markdownLink, markdownPhrase, markdownText } from '../format/markdown-text.ts';

/** How one kind of report differs from the other. */
export interface MarkdownLayout extends ReportDepth {
  /** What it is called where something is left out of it. */
  readonly title: string;
  /** Entries of each part at most, however much room there is. */
  readonly most: Extent<Part>;
  /** Whether a text of that length is accepted. */
  readonly fits: (text: string) => boolean;
}

/** The content as Markdown, so that shorter versions of it cost little. */
interface MarkdownContent {
  readonly opening: string;
  readonly notes: readonly { readonly title: string; readonly items: readonly string[] }[];
  readonly changed: MarkdownTable;
  readonly endpoints: readonly string[];
  readonly folded: readonly {
    readonly title: string;
    readonly table: MarkdownTable;
    readonly open: boolean;
  }[];
  readonly steps: readonly string[];
  readonly provenance: string;
}

function opening({ headline: { word, sentence, because } }: ReportContent): string {
  const line = markdownText(sentence, longestSentence);
  return [
    `**${word}**${line.slice(word.length)}`,
    ...(because.length === 0 ? [] : ['']),
    ...because.map((reason) => `- ${markdownText(reason, longestReason)}`),
  ].join('\n');
}

function endpointBlock({ cell, did, table, hidden }: EndpointSection): string {
  const text = `Endpoints of ${markdownPhrase([cell])} that ${did}:\n\n${tableText(toMarkdown(table))}`;
  return hidden > 0 ? `${text}\n\nand ${countOf(hidden, 'more endpoint')}` : text;
}

function provenanceLine({ provenance }: ReportContent, options: ReportOptions): string {
  return [
    ...provenance.map(({ label, text }) => `${label} ${markdownInline(text, longestFact)}`),
    `figures ${link(options)}`,
  ].join(' · ');
}

function link({ fullReport }: ReportOptions): string {
  return markdownLink(fullReport.text, fullReport.url);
}

function markdownContent(content: ReportContent, options: ReportOptions): MarkdownContent {
  return {
    opening: opening(content),
    notes: content.notes.map(({ title, items }) => ({ title, items: items.map(markdownPhrase) })),
    changed: toMarkdown(content.changed),
    endpoints: content.endpoints.map(endpointBlock),
    folded: content.folded.map((group) => ({ ...group, table: toMarkdown(group.table) })),
    steps: content.steps.map((step) => `**Next:** ${markdownPhrase(step)}`),
    provenance: provenanceLine(content, options),
  };
}

function folded(title: string, body: string): string {
  return `<details>\n<summary>${title}</summary>\n\n${body}\n\n</details>`;
}

/** The worst cell's endpoints stand open, those of the others are folded. */
function endpointSection([worst, ...others]: readonly string[]): string[] {
  if (worst === undefined) return [];
  if (others.length === 0) return [worst];
  return [worst, folded(`Endpoints of ${countOf(others.length, 'more cell')}`, others.join('\n\n'))];
}

function render(
  content: MarkdownContent,
  full: Extent<Part>,
  extent: Extent<Part>,
  options: ReportOptions,
  title: string,
): string {
  const groups = firstOf(content.folded, ({ table }) => table.entries.length, extent.folded);
  const missing = leftOut(full, extent, title);
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
    ...(missing === undefined ? [] : [`${missing}. All of it: ${link(options)}.`]),
    content.provenance,
  ].join('\n\n');
}

/** The verdict as Markdown, as much of it as the layout accepts; `frame` adds what stands around it. */
export function markdownReport(
  untrusted: Verdict,
  options: ReportOptions,
  layout: MarkdownLayout,
  frame: (report: string) => string,
): string {
  const said = contentOf(withShortNames(untrusted), options, layout);
  const content = markdownContent(said, options);
  const full = countParts(said);
  const most = {
    changed: Math.min(full.changed, layout.most.changed),
    notes: Math.min(full.notes, layout.most.notes),
    endpointTables: Math.min(full.endpointTables, layout.most.endpointTables),
    folded: Math.min(full.folded, layout.most.folded),
  };
  const text = (extent: Extent<Part>) => frame(render(content, full, extent, options, layout.title));
  return text(shrinkToFit(most, sacrifice, (extent) => layout.fits(text(extent))));
}
