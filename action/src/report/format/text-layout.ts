import stringWidth from 'string-width';
import type { Paint, Style } from './paint.ts';

/** Columns that the text takes on a screen. */
export const displayWidth = stringWidth;

const segmenter = new Intl.Segmenter();

/** The text in at most so many columns, with an ellipsis if it lost something. */
export function truncate(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let cut = '';
  let used = 0;
  for (const { segment } of segmenter.segment(text)) {
    used += displayWidth(segment);
    if (used > width - 1) break;
    cut += segment;
  }
  return `${cut}…`;
}

/** The text in at most so many characters as people count them, where columns do not matter. */
export function shorten(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const segments: string[] = [];
  for (const { segment } of segmenter.segment(text)) {
    if (segments.push(segment) > characters) return `${segments.slice(0, characters - 1).join('')}…`;
  }
  return text;
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

export function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - displayWidth(text))) + text;
}

/** Blanks at which a line may break: not within an interval's brackets, nor between a figure and its unit. */
const breakable = / (?![^[\]]*\])(?!(?:pp|ms|s|min|h|[KMGT]iB)\b)/;

/** Lines of at most so many columns, broken between words; a word that is longer than a line is cut. */
export function wrap(text: string, width: number, indent = '', hanging = indent): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(breakable).filter((part) => part !== '')) {
    const room = width - displayWidth(lines.length === 0 ? indent : hanging);
    const joined = line === '' ? word : `${line} ${word}`;
    if (displayWidth(joined) <= room) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    line = truncate(word, width - displayWidth(hanging));
  }
  if (line !== '') lines.push(line);
  return lines.map((part, index) => (index === 0 ? indent : hanging) + part);
}

export interface Column {
  readonly title: string;
  readonly align: 'left' | 'right';
  /** Blanks before it; 2 unless told. */
  readonly gap?: number;
}

export interface TableCell {
  readonly text: string;
  readonly style?: Style;
}

/** A row of figures, or a heading over the rows that follow it. */
export type TableRow = readonly TableCell[] | { readonly heading: string; readonly style?: Style };

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly TableRow[];
}

function isHeading(row: TableRow): row is Exclude<TableRow, readonly TableCell[]> {
  return 'heading' in row;
}

function columnWidths({ columns, rows }: Table): number[] {
  return columns.map(({ title }, index) =>
    Math.max(
      displayWidth(title),
      ...rows.map((row) => (isHeading(row) ? 0 : displayWidth(row[index]?.text ?? ''))),
    ),
  );
}

function gapBefore(column: Column, index: number): number {
  return index === 0 ? 0 : (column.gap ?? 2);
}

/** Columns that the whole table takes on a screen, headings left aside. */
export function tableWidth(table: Table): number {
  const gaps = table.columns.reduce((sum, column, index) => sum + gapBefore(column, index), 0);
  return columnWidths(table).reduce((sum, width) => sum + width, gaps);
}

/** Lines of the table. If it is too wide, its first column gives way. */
export function renderTable(table: Table, width: number, paint: Paint, indent = ''): string[] {
  const widths = columnWidths(table);
  const excess = tableWidth(table) + indent.length - width;
  if (excess > 0) widths[0] = Math.max(8, (widths[0] ?? 0) - excess);
  const line = (cells: readonly TableCell[], rowStyle?: Style) => {
    const parts = table.columns.map((column, index) => {
      const { text = '', style = rowStyle } = cells[index] ?? {};
      const room = widths[index] ?? 0;
      const fitted = truncate(text, room);
      const padded = column.align === 'left' ? padEnd(fitted, room) : padStart(fitted, room);
      const gap = ' '.repeat(gapBefore(column, index));
      return (
        gap +
        (style === undefined || fitted === '' ? padded : padded.replace(fitted, () => paint(style, fitted)))
      );
    });
    return (indent + parts.join('')).trimEnd();
  };
  return [
    line(
      table.columns.map(({ title }) => ({ text: title })),
      'dim',
    ),
    ...table.rows.flatMap((row) => {
      if (!isHeading(row)) return [line(row)];
      const { heading, style } = row;
      return wrap(heading, width, indent).map((text) => (style === undefined ? text : paint(style, text)));
    }),
  ];
}

/** The first of the tables that fits, else the last, which gives way in its first column. */
export function renderFitting(tables: readonly Table[], width: number, paint: Paint, indent = ''): string[] {
  const table = tables.find((candidate) => tableWidth(candidate) + indent.length <= width) ?? tables.at(-1);
  return table === undefined ? [] : renderTable(table, width, paint, indent);
}
