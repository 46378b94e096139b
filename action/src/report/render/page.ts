import type { CheckRecord } from '../../model/record.ts';
import type { Verdict } from '../../model/verdict.ts';
import { cellState } from '../content/cell-state.ts';
import { renderReport } from '../content/fit-report.ts';
import { type ContentOptions, cellsByImportance, reportContent } from '../content/report-content.ts';
import type { Report, Section } from '../content/report-parts.ts';
import { style, styleHash } from '../format/html-style.ts';
import { htmlPhrase, htmlText } from '../format/html-text.ts';
import { script, scriptHash } from '../format/page-script.ts';
import { countOf } from '../format/phrase.ts';
import { plainPhrase } from '../format/plain-text.ts';
import { cellPictures, warmUpPictures } from './cell-pictures.ts';
import { htmlTable } from './html-table.ts';

/** Forty cells take about 100 kB. Browsers become slow beyond this size. */
export const largestPageBytes = 2_000_000;
/** The rest is for what the verdict says. */
const mostPictureBytes = 1_600_000;

/** The page loads nothing and sends nothing. It runs nothing but its own script, which reads the pictures. */
function policy(withScript: boolean): string {
  const own = withScript ? ` script-src '${scriptHash}';` : '';
  return `default-src 'none'; style-src '${styleHash}';${own} base-uri 'none'; form-action 'none'`;
}

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
  const head = [
    '<!DOCTYPE html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy(pictures !== '')}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${htmlText(plainPhrase(content.sentence), 300)}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
  ].join('\n');
  const end = pictures === '' ? '' : `<script>${script}</script>\n`;
  return renderReport(content, {
    say: htmlPhrase,
    render: (report) => `${head}\n${body(report, pictures)}\n${end}</body>\n</html>\n`,
    fits: (text) => Buffer.byteLength(text) <= largestPageBytes,
  });
}
