import { markdownTable } from 'markdown-table';
import type { ReportTable } from '../content/content-table.ts';
import { markdownInline, markdownPhrase } from './markdown-text.ts';

/** A table whose cells are already Markdown, so that shorter versions of it cost little. */
export interface MarkdownTable {
  readonly titles: readonly string[];
  readonly align: readonly ('left' | 'right')[];
  /** The rows of each entry; an entry is shown as a whole. */
  readonly entries: readonly (readonly (readonly string[])[])[];
}

export function toMarkdown({ columns, entries }: ReportTable): MarkdownTable {
  return {
    titles: columns.map(({ title, obvious }) => (obvious ? '' : markdownInline(title))),
    align: columns.map(({ align }) => align),
    entries: entries.map((rows) => rows.map(({ cells }) => cells.map(markdownPhrase))),
  };
}

/** The table with its first entries. */
export function tableText({ titles, align, entries }: MarkdownTable, count = entries.length): string {
  return markdownTable([titles, ...entries.slice(0, count).flat()], { align });
}
