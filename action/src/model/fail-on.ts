import { z } from 'zod';
import type { Outcome } from './verdict.ts';

/** What a check may end with that fails it: its outcome, or that nothing was compared although that was wanted. */
export type Failing = Exclude<Outcome, 'pass' | 'accepted'> | 'not-compared';
export type FailOn = ReadonlySet<Failing>;

/** Gravest first, as the documentation lists them. */
const failing: readonly Failing[] = ['regression', 'invalid', 'noise', 'undecided', 'coarse', 'not-compared'];

/** Fails nothing, so it says all there is to say. */
const nothing = 'never';

const allowed = `expected ${nothing}, or a list of ${failing.join(', ')}`;

function isFailing(word: string): word is Failing {
  return (failing as readonly string[]).includes(word);
}

/** Words of the list, which commas or line breaks separate. */
function wordsOf(text: string): readonly string[] {
  return text
    .split(/[,\n]/)
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** What fails a check, as people write it: `never`, or words separated by commas or line breaks. */
export const failOnSchema = z.string().transform((text, context): FailOn => {
  const words = wordsOf(text);
  if (words.length === 1 && words[0] === nothing) return new Set();
  const refuse = (message: string): never => {
    context.issues.push({ code: 'custom', message, input: text });
    return z.NEVER;
  };
  if (words.length === 0) return refuse(allowed);
  if (words.includes(nothing)) return refuse(`expected ${nothing} alone, without other words`);
  const unknown = words.find((word) => !isFailing(word));
  return unknown === undefined ? new Set(words.filter(isFailing)) : refuse(allowed);
});
