import type { CheckRecord } from '../../model/record.ts';
import type { Verdict } from '../../model/verdict.ts';
import { cellState } from '../content/cell-state.ts';
import { renderReport } from '../content/fit-report.ts';
import { type ContentOptions, cellsByImportance, reportContent } from '../content/report-content.ts';
import type { Report, Section } from '../content/report-parts.ts';
import { htmlPhrase, htmlText } from '../format/html-text.ts';
import { countOf } from '../format/phrase.ts';
import { plainPhrase } from '../format/plain-text.ts';
import { cellPictures, warmUpPictures } from './cell-pictures.ts';
import { htmlDocument } from './html-document.ts';
import { htmlTable } from './html-table.ts';

/** Forty cells take about 100 kB. Browsers become slow beyond this size. */
export const largestPageBytes = 2_000_000;
/** The rest is for what the verdict says. */
const mostPictureBytes = 1_600_000;

const drawingNote =
  'All drawings share one scale, the limit. The point is the change, the line through it its interval and the dashed line the limit. A proved change of more than half the limit is a regression. The tick below marks the smallest worsening that would have been noticed.';

function list(items: readonly string[]): string {
  return items.length === 0 ? '' : `<ul>\n${items.map((item) => `<li>${item}</li>`).join('\n')}\n</ul>`;
}

function sectionHtml(section: Section<string>): string {
  const { title, columns, entries, folded, note } = section;
  const body =
    columns.length === 0 ? list(entries.flat().map(({ cells }) => cells.join(''))) : htmlTable(section);
  if (folded) return `<details>\n<summary>${htmlText(title)}</summary>\n${body}\n</details>`;
  const notes = note === undefined ? '' : `\n<p class="note">${htmlText(note)} ${drawingNote}</p>`;
  return `<h2>${htmlText(title)}</h2>\n${body}${notes}`;
}

function body(
  { outcome, sentence, because, sections, steps, facts, omitted }: Report<string>,
  pictures: string,
): string {
  return [
    `<header class="${outcome}">`,
    `<h1>${sentence}</h1>`,
    list(because),
    '</header>',
    '<main>',
    ...sections.filter(({ folded }) => !folded).map(sectionHtml),
    ...steps.map((step) => `<p class="next"><strong>Next:</strong> ${step}</p>`),
    pictures,
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

export interface PageOptions extends ContentOptions {
  /** What is drawn besides the verdict; absent where only the verdict is known. */
  readonly record?: CheckRecord;
}

/** Pictures of all cells, the most important first, as far as they fit into that many bytes. */
function picturesOf(verdict: Verdict, record: CheckRecord, mostBytes: number): string {
  const cells = cellsByImportance(verdict).filter(({ head }) => head.blocks > 0);
  const parts: string[] = [];
  let bytes = 0;
  for (const cell of cells) {
    const part = cellPictures(record, cell, cellState(cell) === 'regression');
    bytes += Buffer.byteLength(part);
    if (bytes > mostBytes) break;
    parts.push(part);
  }
  const left = cells.length - parts.length;
  const note =
    left === 0
      ? []
      : [`<p class="note">${countOf(left, 'more cell')} would make this page too large to open quickly.</p>`];
  const warmUp = warmUpPictures(record);
  const all = [...parts, ...note, ...(warmUp === '' || bytes + warmUp.length > mostBytes ? [] : [warmUp])];
  return all.length === 0 ? '' : ['<h2>Each cell in pictures</h2>', ...all].join('\n');
}

/** The verdict as one page without network, at most 2,000,000 bytes. */
export function renderPage(verdict: Verdict, options: PageOptions): string {
  const content = reportContent(verdict, options, { mostEndpoints: 100, detail: 'everything' });
  const { record } = options;
  const pictures = record === undefined ? '' : picturesOf(verdict, record, mostPictureBytes);
  const title = plainPhrase(content.sentence);
  const withScript = pictures !== '';
  return renderReport(content, {
    say: htmlPhrase,
    render: (report) => htmlDocument(title, body(report, pictures), { withScript }),
    fits: (text) => Buffer.byteLength(text) <= largestPageBytes,
  });
}
