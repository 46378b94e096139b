import type { Verdict } from '../../model/verdict.ts';
import { renderReport } from '../content/fit-report.ts';
import { type ContentOptions, reportContent } from '../content/report-content.ts';
import type { Report, Row, Section } from '../content/report-parts.ts';
import { style, styleHash } from '../format/html-style.ts';
import { htmlPhrase, htmlText } from '../format/html-text.ts';
import { intervalDrawing } from '../format/interval-drawing.ts';
import { plainPhrase } from '../format/plain-text.ts';

/** Forty cells take about 100 kB. Browsers become slow beyond this size. */
export const largestPageBytes = 2_000_000;

/** The page loads nothing, runs nothing and sends nothing. */
const policy = `default-src 'none'; style-src '${styleHash}'; base-uri 'none'; form-action 'none'`;

const drawingNote =
  'All drawings share one scale, the limit. The point is the change, the line through it its interval and the dashed line the limit. A proved change of more than half the limit is a regression. The tick below marks the smallest worsening that would have been noticed.';

function rowClass({ metric, failed = false }: Row<string>): string {
  if (failed || metric?.outcome === 'regression') return ' class="regression"';
  return metric?.improved ? ' class="improved"' : '';
}

function alignment(align: 'left' | 'right' | undefined): string {
  return align === 'right' ? ' class="right"' : '';
}

/** The rows of an entry as one group, which its first cell names. */
function rowGroup({ columns }: Section<string>, rows: readonly Row<string>[], drawn: boolean): string {
  const span = rows.length > 1 ? ` scope="rowgroup" rowspan="${rows.length}"` : ' scope="row"';
  const body = rows.map((row, index) => {
    const [name = '', ...others] = row.cells;
    const cells = others.map((cell, at) => `<td${alignment(columns[at + 1]?.align)}>${cell}</td>`);
    // The column of drawings exists as soon as one row has a drawing.
    const drawing = drawn ? `<td>${row.metric === undefined ? '' : intervalDrawing(row.metric)}</td>` : '';
    const heading = index === 0 ? `<th class="name"${span}>${name}</th>` : '';
    return `<tr${rowClass(row)}>${heading}${cells.join('')}${drawing}</tr>`;
  });
  return `<tbody>\n${body.join('\n')}\n</tbody>`;
}

/** The keyboard can scroll the table too. The caption repeats the title for screen readers only. */
function table(section: Section<string>): string {
  const { title, columns, entries } = section;
  const drawn = entries.some((rows) => rows.some(({ metric }) => metric !== undefined));
  const titles = [
    ...columns.map((column) => `<th scope="col"${alignment(column.align)}>${htmlText(column.title)}</th>`),
    ...(drawn ? ['<th scope="col">← better · worse →</th>'] : []),
  ];
  return [
    `<section class="scroll" tabindex="0" aria-label="${htmlText(title)}">\n<table>`,
    `<caption class="unseen">${htmlText(title)}</caption>`,
    `<thead>\n<tr>${titles.join('')}</tr>\n</thead>`,
    ...entries.map((rows) => rowGroup(section, rows, drawn)),
    '</table>\n</section>',
  ].join('\n');
}

function list(items: readonly string[]): string {
  return items.length === 0 ? '' : `<ul>\n${items.map((item) => `<li>${item}</li>`).join('\n')}\n</ul>`;
}

function sectionHtml(section: Section<string>): string {
  const { title, columns, entries, folded, note } = section;
  const body =
    columns.length === 0 ? list(entries.flat().map(({ cells }) => cells.join(''))) : table(section);
  if (folded) return `<details>\n<summary>${htmlText(title)}</summary>\n${body}\n</details>`;
  const notes = note === undefined ? '' : `\n<p class="note">${htmlText(note)} ${drawingNote}</p>`;
  return `<h2>${htmlText(title)}</h2>\n${body}${notes}`;
}

function body({ outcome, sentence, because, sections, steps, facts, omitted }: Report<string>): string {
  return [
    `<header class="${outcome}">`,
    `<h1>${sentence}</h1>`,
    list(because),
    '</header>',
    '<main>',
    ...sections.filter(({ folded }) => !folded).map(sectionHtml),
    ...steps.map((step) => `<p class="next"><strong>Next:</strong> ${step}</p>`),
    ...sections.filter(({ folded }) => folded).map(sectionHtml),
    ...(omitted === undefined ? [] : [`<p class="note">${omitted}</p>`]),
    '</main>',
    '<footer>\n<dl>',
    ...facts.map(({ label, text }) => `<dt>${label}</dt><dd>${text}</dd>`),
    '</dl>\n</footer>',
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** The verdict as one page without network or script, at most 2,000,000 bytes. */
export function renderPage(verdict: Verdict, options: ContentOptions): string {
  const content = reportContent(verdict, options, { mostEndpoints: 100, detail: 'everything' });
  const head = [
    '<!DOCTYPE html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${htmlText(plainPhrase(content.sentence), 300)}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
  ].join('\n');
  return renderReport(content, {
    say: htmlPhrase,
    render: (report) => `${head}\n${body(report)}\n</body>\n</html>\n`,
    fits: (text) => Buffer.byteLength(text) <= largestPageBytes,
  });
}
