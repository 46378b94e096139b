/** Longer names are told apart by their beginning. */
export const longestName = 80;

/** A part of a sentence, told apart by what it is. */
export type PhrasePart =
  /** The gate's own words and figures. */
  | string
  /** Words from outside, such as a cause; cut to so many characters. */
  | { readonly text: string; readonly longest?: number }
  /** A name, command, key or path, to be read or typed as it stands. */
  | { readonly literal: string; readonly longest?: number }
  /** The gate's own words, with stress. */
  | { readonly strong: string };

/** A sentence, or what stands in a cell of a table, before it is Markdown or HTML. */
export type Phrase = readonly PhrasePart[];

/** The phrases as one list in a sentence: `a, b and 2 more`. */
export function listed(phrases: readonly Phrase[], most = 3): Phrase {
  const hidden = phrases.length - most;
  const shown = hidden > 0 ? phrases.slice(0, most) : phrases;
  return [
    ...shown.flatMap((phrase, index) => (index === 0 ? phrase : [', ', ...phrase])),
    ...(hidden > 0 ? [` and ${hidden} more`] : []),
  ];
}
