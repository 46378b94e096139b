/** Longer names differ in their beginning already. */
export const longestName = 80;

/** A cell has the names of a scenario and of a load. */
export const longestCellName = 2 * longestName + 1;

/** A part of a sentence. Its kind decides how each output escapes and marks it. */
export type PhrasePart =
  /** The gate's own words and figures. */
  | string
  /** Words from outside, such as a cause, cut to so many characters. */
  | { readonly text: string; readonly longest?: number }
  /** A name, command, key or path that the reader may copy. */
  | { readonly literal: string; readonly longest?: number }
  /** The gate's own words, stressed. */
  | { readonly strong: string }
  /** The gate's own words, leading to a page if there is one. */
  | { readonly link: string; readonly address?: string };

/** A sentence or the content of a table cell, before it becomes Markdown, HTML or plain text. */
export type Phrase = readonly PhrasePart[];

/** `a, b and 2 more`. */
export function listed(phrases: readonly Phrase[], most = 3): Phrase {
  const hidden = phrases.length - most;
  const shown = hidden > 0 ? phrases.slice(0, most) : phrases;
  return [
    ...shown.flatMap((phrase, index) => (index === 0 ? phrase : [', ', ...phrase])),
    ...(hidden > 0 ? [` and ${hidden} more`] : []),
  ];
}

/** `1 cell`, `6 cells`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `trip-edit@peak, plan-edit@peak, plan-edit@average and 2 more`. */
export function namesText(names: readonly string[]): string {
  return listed(names.map((name) => [name])).join('');
}

/** The text with a capital at its start. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The text with a full stop, unless it ends with another mark. */
export function withStop(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
