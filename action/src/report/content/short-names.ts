import type { Verdict } from '../../model/verdict.ts';
import { longestName } from '../format/phrase.ts';
import { plainText, plainValue } from '../format/plain-text.ts';
import { shorten } from '../format/text-layout.ts';

/** Fields of a verdict that hold a name or several. */
const nameFields: ReadonlySet<string> = new Set([
  ...['runId', 'suite', 'branch', 'scenario', 'load', 'cell', 'endpoints', 'name', 'regressed'],
  ...['title', 'unit', 'objective'],
]);

/** The verdict in plain text, with names short enough that a sentence with several of them stays readable. */
export function withShortNames(untrusted: Verdict): Verdict {
  return plainValue(untrusted, (text, field) =>
    nameFields.has(field) ? shorten(plainText(text), longestName) : plainText(text),
  );
}
