import type { Row, Section } from '../content/report-parts.ts';
import { htmlText } from '../format/html-text.ts';
import { intervalDrawing } from '../format/interval-drawing.ts';

function rowClass({ metric, failed = false }: Row<string>): string {
  if (failed || metric?.outcome === 'regression') return ' class="regression"';
  return metric?.improved ? ' class="improved"' : '';
}

function alignment(align: 'left' | 'right' | undefined): string {
  return align === 'right' ? ' class="right"' : '';
}

/** The rows of an entry as one group, which its first cell names. */
function rowGroup(
  { columns }: Pick<Section<string>, 'columns'>,
  rows: readonly Row<string>[],
  drawn: boolean,
): string {
  const span = rows.length > 1 ? ` scope="rowgroup" rowspan="${rows.length}"` : ' scope="row"';
  const body = rows.map((row, index) => {
    const [name = '', ...others] = row.cells;
    const cells = others.map((cell, at) => `<td${alignment(columns[at + 1]?.align)}>${cell}</td>`);
    // The column of drawings exists as soon as one row has a drawing.
    const drawing = drawn ? `<td>${row.metric === undefined ? '' : intervalDrawing(row.metric)}</td>` : '';
    const right = columns[0]?.align === 'right' ? ' right' : '';
    const heading = index === 0 ? `<th class="name${right}"${span}>${name}</th>` : '';
    return `<tr${rowClass(row)}>${heading}${cells.join('')}${drawing}</tr>`;
  });
  return `<tbody>\n${body.join('\n')}\n</tbody>`;
}

/** A table with its drawings. The keyboard can scroll it too. The caption repeats the title for screen readers only. */
export function htmlTable(section: Pick<Section<string>, 'title' | 'columns' | 'entries'>): string {
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
