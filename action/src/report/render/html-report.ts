import type { Verdict } from '../../model/verdict.ts';
import { countOf } from '../content/cell-state.ts';
import type { ReportTable, TableRow } from '../content/content-table.ts';
import { type Extent, shrinkToFit } from '../content/extent.ts';
import { intervalDrawing } from '../content/interval-drawing.ts';
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
import { style, styleHash } from '../format/html-style.ts';
import { htmlLink, htmlPhrase, htmlText } from '../format/html-text.ts';

/** A page of forty cells is about 100 kB. Beyond this, browsers and people take their time. */
export const largestPageBytes = 2_000_000;

const depth: ReportDepth = { mostEndpoints: 100, tells: 'everything' };

/** The page takes nothing from anywhere, runs nothing, and sends nothing. */
const policy = `default-src 'none'; style-src '${styleHash}'; base-uri 'none'; form-action 'none'`;

/** A table whose rows are already HTML, so that shorter versions of it cost little. */
interface HtmlTable {
  readonly head: string;
  /** Each entry a group of rows. */
  readonly entries: readonly string[];
}

interface HtmlContent {
  readonly header: string;
  readonly notes: readonly { readonly title: string; readonly items: readonly string[] }[];
  readonly changed: HtmlTable;
  readonly endpoints: readonly string[];
  readonly folded: readonly { readonly title: string; readonly table: HtmlTable; readonly open: boolean }[];
  readonly steps: readonly string[];
  readonly provenance: string;
}

/** What a row is told apart by; nothing if nothing happened in it. */
function rowClass({ metric }: TableRow): string {
  if (metric?.outcome === 'regression') return ' class="regression"';
  return metric?.improved === true ? ' class="improved"' : '';
}

function attributes(align: 'left' | 'right' | undefined): string {
  return align === 'right' ? ' class="right"' : '';
}

/** The rows of an entry as one group, named by its first cell. */
function rowGroup({ columns }: ReportTable, rows: readonly TableRow[], drawn: boolean): string {
  const body = rows.map((row, index) => {
    const name = `<th class="name" scope="${rows.length > 1 ? 'rowgroup' : 'row'}"${rows.length > 1 ? ` rowspan="${rows.length}"` : ''}>${htmlPhrase(row.cells[0] ?? [])}</th>`;
    const cells = row.cells
      .slice(1)
      .map((cell, at) => `<td${attributes(columns[at + 1]?.align)}>${htmlPhrase(cell)}</td>`);
    const drawing = drawn && row.metric !== undefined ? `<td>${intervalDrawing(row.metric)}</td>` : '';
    return `<tr${rowClass(row)}>${index === 0 ? name : ''}${cells.join('')}${drawing}</tr>`;
  });
  return `<tbody>\n${body.join('\n')}\n</tbody>`;
}

function toHtml(table: ReportTable): HtmlTable {
  const drawn = table.entries.some((rows) => rows.some(({ metric }) => metric !== undefined));
  const titles = [
    ...table.columns.map(({ title, align }) => `<th scope="col"${attributes(align)}>${htmlText(title)}</th>`),
    ...(drawn ? ['<th scope="col">← better · worse →</th>'] : []),
  ];
  return {
    head: `<thead>\n<tr>${titles.join('')}</tr>\n</thead>`,
    entries: table.entries.map((rows) => rowGroup(table, rows, drawn)),
  };
}

/** What a table is called, and what stands over it; both HTML. */
interface TableTitle {
  readonly name: string;
  readonly caption: string;
  /** True if the same stands above it already: only who listens to the page is told it again. */
  readonly unseen?: boolean;
}

/** The table with its first entries. It can be scrolled by keys too. */
function tableHtml(
  { head, entries }: HtmlTable,
  { name, caption, unseen = false }: TableTitle,
  count = entries.length,
): string {
  const rows = entries.slice(0, count).join('\n');
  return `<section class="scroll" tabindex="0" aria-label="${name}">\n<table>\n<caption${unseen ? ' class="unseen"' : ''}>${caption}</caption>\n${head}\n${rows}\n</table>\n</section>`;
}

const drawingLegend =
  'Drawn on one scale, which is the limit: the point is the change, the line through it its interval, the band what is tolerated, the dashed line the limit, the tick below it what this run sees.';

function headerOf(verdict: Verdict, { headline: { word, sentence, because } }: ReportContent): string {
  const kind =
    verdict.outcome === 'pass' && verdict.comparison.kind === 'none' ? 'measured' : verdict.outcome;
  const rest = htmlText(sentence, longestSentence).slice(htmlText(word).length);
  return [
    `<header class="${kind}">`,
    `<h1><strong>${htmlText(word)}</strong>${rest}</h1>`,
    ...(because.length === 0
      ? []
      : ['<ul>', ...because.map((reason) => `<li>${htmlText(reason, longestReason)}</li>`), '</ul>']),
    '</header>',
  ].join('\n');
}

function endpointBlock({ cell, did, table, hidden }: EndpointSection): string {
  const more = hidden > 0 ? `\n<p class="note">and ${countOf(hidden, 'more endpoint')}</p>` : '';
  const caption = `Endpoints of ${htmlPhrase([cell])} that ${did}`;
  return `${tableHtml(toHtml(table), { name: 'Endpoints', caption })}${more}`;
}

function provenanceList({ provenance }: ReportContent, { fullReport }: ReportOptions): string {
  const facts = [
    ...provenance.map(({ label, text }) => [label, htmlText(text, longestFact)]),
    ['figures', htmlLink(fullReport.text, fullReport.url)],
  ];
  return `<dl>\n${facts.map(([label, text]) => `<dt>${label}</dt><dd>${text}</dd>`).join('\n')}\n</dl>`;
}

function htmlContent(verdict: Verdict, content: ReportContent, options: ReportOptions): HtmlContent {
  return {
    header: headerOf(verdict, content),
    notes: content.notes.map(({ title, items }) => ({ title, items: items.map(htmlPhrase) })),
    changed: toHtml(content.changed),
    endpoints: content.endpoints.map(endpointBlock),
    folded: content.folded.map((group) => ({ ...group, table: toHtml(group.table) })),
    steps: content.steps.map((step) => `<p class="next"><strong>Next:</strong> ${htmlPhrase(step)}</p>`),
    provenance: provenanceList(content, options),
  };
}

function folded(title: string, body: string): string {
  return `<details>\n<summary>${title}</summary>\n${body}\n</details>`;
}

/** The worst cell's endpoints stand open, those of the others are folded. */
function endpointSection([worst, ...others]: readonly string[]): string[] {
  if (worst === undefined) return [];
  return [
    '<h2>Endpoints</h2>',
    worst,
    ...(others.length === 0
      ? []
      : [folded(`Endpoints of ${countOf(others.length, 'more cell')}`, others.join('\n'))]),
  ];
}

function groupTable({ title, table, open }: HtmlContent['folded'][number], shown: number): string {
  const name = htmlText(title);
  return tableHtml(table, { name, caption: name, unseen: !open }, shown);
}

function bodyOf(
  content: HtmlContent,
  full: Extent<Part>,
  extent: Extent<Part>,
  { fullReport }: ReportOptions,
): string {
  const groups = firstOf(content.folded, ({ table }) => table.entries.length, extent.folded);
  const missing = leftOut(full, extent, 'page');
  return [
    content.header,
    '<main>',
    ...(extent.changed === 0
      ? []
      : [
          '<h2>What stands out</h2>',
          tableHtml(content.changed, { name: 'What stands out', caption: legend }, extent.changed),
          `<p class="note">${drawingLegend}</p>`,
        ]),
    ...endpointSection(content.endpoints.slice(0, extent.endpointTables)),
    ...firstOf(content.notes, ({ items }) => items.length, extent.notes).map(
      ({ list, shown }) =>
        `<h2>${htmlText(list.title)}</h2>\n<ul>\n${list.items
          .slice(0, shown)
          .map((item) => `<li>${item}</li>`)
          .join('\n')}\n</ul>`,
    ),
    ...groups.flatMap(({ list, shown }) => (list.open ? [groupTable(list, shown)] : [])),
    ...content.steps,
    ...groups.flatMap(({ list, shown }) =>
      list.open ? [] : [folded(htmlText(list.title), groupTable(list, shown))],
    ),
    ...(missing === undefined
      ? []
      : [`<p class="note">${missing}. All of it: ${htmlLink(fullReport.text, fullReport.url)}.</p>`]),
    '</main>',
    `<footer>\n${content.provenance}\n</footer>`,
  ].join('\n');
}

const encoder = new TextEncoder();

/** The verdict as one page that needs nothing beside it: no network, no script; at most 2,000,000 bytes. */
export function renderPage(untrusted: Verdict, options: ReportOptions): string {
  const verdict = withShortNames(untrusted);
  const said = contentOf(verdict, options, depth);
  const content = htmlContent(verdict, said, options);
  const full = countParts(said);
  const page = (extent: Extent<Part>) =>
    [
      '<!DOCTYPE html>',
      '<html lang="en">',
      '<head>',
      '<meta charset="utf-8">',
      `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
      '<meta name="viewport" content="width=device-width, initial-scale=1">',
      '<meta name="color-scheme" content="light dark">',
      '<meta name="referrer" content="no-referrer">',
      `<title>${htmlText(said.headline.sentence, longestFact)}</title>`,
      `<style>${style}</style>`,
      '</head>',
      '<body>',
      bodyOf(content, full, extent, options),
      '</body>',
      '</html>',
      '',
    ].join('\n');
  return page(
    shrinkToFit(full, sacrifice, (extent) => encoder.encode(page(extent)).length <= largestPageBytes),
  );
}
