import type { Verdict } from '../../model/verdict.ts';
import { plainText } from '../format/plain-text.ts';
import { shorten } from '../format/text-layout.ts';
import { headline } from './headline.ts';
import { withShortNames } from './short-names.ts';

/** The verdict in words, as one line of plain text. */
export function verdictSentence(verdict: Verdict, longest: number): string {
  const { word, rest } = headline(withShortNames(verdict));
  return shorten(plainText(`${word}${rest}`, longest), longest);
}
