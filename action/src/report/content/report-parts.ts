import type { MetricVerdict, Outcome } from '../../model/verdict.ts';
import type { Phrase } from '../format/phrase.ts';
import type { Column } from '../format/text-layout.ts';

/** Parts that may shrink, most expendable first. The verdict, the next steps and the provenance always stay. */
export const expendableParts = ['folded', 'endpoints', 'notes', 'changed'] as const;
export type Part = (typeof expendableParts)[number];

/** How many entries of each part are shown. */
export type Extent = Readonly<Record<Part, number>>;

export interface ReportColumn extends Column {
  /** True if the values explain themselves, so that Markdown saves the room of the title. */
  readonly untitled?: boolean;
}

export interface Row<Text> {
  readonly cells: readonly Text[];
  /** The metric of the row, for outputs that draw or colour it. */
  readonly metric?: MetricVerdict;
  /** True if the row is a regression without a drawing. */
  readonly failed?: boolean;
}

/** A list or table under a title. Entries are shown whole or left out. */
export interface Section<Text> {
  readonly part: Part;
  readonly title: string;
  /** A list has no columns, and one row with one cell per entry. */
  readonly columns: readonly ReportColumn[];
  readonly entries: readonly (readonly Row<Text>[])[];
  /** True if the first cell of an entry is a heading of its rows. */
  readonly grouped?: boolean;
  /** True if the reader has to open it, where the output can fold. */
  readonly folded?: boolean;
  readonly note?: string;
}

/** Everything a report says, in the order of reading, with texts that are phrases at first and strings once rendered. */
export interface Report<Text> {
  readonly outcome: Outcome | 'measured';
  readonly sentence: Text;
  readonly because: readonly Text[];
  readonly sections: readonly Section<Text>[];
  readonly steps: readonly Text[];
  readonly facts: readonly { readonly label: string; readonly text: Text }[];
  /** Where the reader finds everything. */
  readonly fullReport: Phrase;
  /** What was left out to save space. */
  readonly omitted?: Text;
}
