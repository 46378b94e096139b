import type { Verdict } from '../../model/verdict.ts';
import { plainPhrase } from '../format/plain-text.ts';
import { headline } from './headline.ts';
import { likelyCauses } from './likely-cause.ts';

/** What the report says about the cause of a verdict, in plain sentences, most important first. */
export function causeTexts(verdict: Verdict): readonly string[] {
  const { rest, because } = headline(verdict);
  return [rest.replace(/^: /, ''), ...because, ...likelyCauses(verdict).map(plainPhrase)].filter(
    (text) => text !== '',
  );
}
