import type { Verdict } from '../../model/verdict.ts';
import type { Phrase } from '../format/phrase.ts';
import { plainText } from '../format/plain-text.ts';
import { shorten } from '../format/text-layout.ts';
import { plainSentence } from './plain-sentence.ts';
import { withShortNames } from './short-names.ts';

/** The verdict in words, as one line of plain text. */
export function verdictSentence(verdict: Verdict, longest: number): string {
  const { word, rest } = plainSentence(withShortNames(verdict), undefined);
  return shorten(plainText(`${word}${textOf(rest)}`, 4 * longest), longest);
}

function textOf(phrase: Phrase): string {
  return phrase
    .map((part) =>
      typeof part === 'string' ? part : Object.values(part).find((text) => typeof text === 'string'),
    )
    .join('');
}
