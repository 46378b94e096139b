import stringWidth from 'string-width';
import type { Paint, Style } from './paint.ts';

/** Columns that the text takes on a screen. */
export const displayWidth = stringWidth;

const segmenter = new Intl.Segmenter();

/** The text in at most `width` columns, with an ellipsis where it was cut. */
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

/** The text in at most that many characters as people count them, where its width on a screen does not matter. */
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

/** Spaces at which a line may break: not within an interval's brackets, nor between a figure and its unit. */
const breakable = / (?![^[\]]*\])(?!(?:pp|ms|s|min|h|[KMGT]iB)\b)/;

/** Lines of at most `width` columns, broken between words. A word longer than a line is cut. */
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
  /** True if a narrow screen may drop it. */
  readonly optional?: boolean;
}

export interface TableCell {
  readonly text: string;
  readonly style?: Style;
}

/** A row of figures, or a heading above the rows that follow it. */
export type TableRow = readonly TableCell[] | { readonly heading: string };

const gap = '  ';
/** A name cut further than this says nothing. */
const narrowestCut = 8;

function columnWidths(columns: readonly Column[], rows: readonly TableRow[]): number[] {
  return columns.map(({ title }, index) =>
    Math.max(
      displayWidth(title),
      ...rows.map((row) => ('heading' in row ? 0 : displayWidth(row[index]?.text ?? ''))),
    ),
  );
}

/** Indexes of the columns to show: too wide a table loses its optional columns, the last one first. */
function fittingColumns(columns: readonly Column[], widths: readonly number[], width: number): number[] {
  const shown = columns.map((_, index) => index);
  const total = () => shown.reduce((sum, index) => sum + (widths[index] ?? 0) + gap.length, -gap.length);
  while (total() > width) {
    const last = shown.findLastIndex((index) => columns[index]?.optional === true);
    if (last === -1) break;
    shown.splice(last, 1);
  }
  return shown;
}

/** Lines of the table. If it is too wide without its optional columns, its first column is cut. */
export function renderTable(
  { columns, rows }: { readonly columns: readonly Column[]; readonly rows: readonly TableRow[] },
  width: number,
  paint: Paint,
  indent = '',
): string[] {
  const room = width - indent.length;
  const widths = columnWidths(columns, rows);
  const shown = fittingColumns(columns, widths, room);
  const excess = shown.reduce((sum, index) => sum + (widths[index] ?? 0) + gap.length, -gap.length) - room;
  const [first = 0] = shown;
  if (excess > 0 && (widths[first] ?? 0) > narrowestCut)
    widths[first] = Math.max(narrowestCut, (widths[first] ?? 0) - excess);
  const line = (cells: readonly TableCell[]) => {
    const parts = shown.map((index) => {
      const { text = '', style } = cells[index] ?? {};
      const fitted = truncate(text, widths[index] ?? 0);
      const padding = ' '.repeat(Math.max(0, (widths[index] ?? 0) - displayWidth(fitted)));
      const painted = style === undefined || fitted === '' ? fitted : paint(style, fitted);
      return columns[index]?.align === 'right' ? padding + painted : painted + padding;
    });
    return (indent + parts.join(gap)).trimEnd();
  };
  return [
    line(columns.map(({ title }) => ({ text: title, style: 'dim' }))),
    ...rows.flatMap((row) =>
      'heading' in row ? wrap(row.heading, width, indent.slice(gap.length)) : [line(row)],
    ),
  ];
}
