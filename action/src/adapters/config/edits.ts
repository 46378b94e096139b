import type { Node } from 'yaml';

/** What takes the place of the characters from `from` up to `to`. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The text with all edits. They refer to the text as given and may not overlap. */
export function withEdits(text: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((a, b) => b.from - a.from)
    .reduce((edited, { from, to, text: put }) => edited.slice(0, from) + put + edited.slice(to), text);
}

/** Where a parsed node stands in its text. */
export function rangeOf({ range }: Node): readonly [number, number] {
  if (range === undefined || range === null) throw new Error('a parsed node has a range');
  return [range[0], range[1]];
}

/** A line after that value, indented as the key before it. */
export function lineAfter(text: string, key: Node, value: Node, line: string): Edit {
  const [keyFrom] = rangeOf(key);
  const indent = keyFrom - (text.lastIndexOf('\n', keyFrom - 1) + 1);
  const [, valueTo] = rangeOf(value);
  const lineEnd = text.indexOf('\n', text.slice(0, valueTo).trimEnd().length);
  const to = lineEnd === -1 ? text.length : lineEnd;
  return { from: to, to, text: `\n${' '.repeat(indent)}${line}` };
}
