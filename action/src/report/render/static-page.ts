import { htmlText } from '../format/html-text.ts';
import type { BadgeState } from './badge.ts';
import { htmlDocument } from './html-document.ts';

export interface StaticPage {
  readonly title: string;
  readonly sentence: string;
  /** Colours the head of the page. */
  readonly state: BadgeState;
  /** HTML below the sentence. */
  readonly because?: string;
  /** HTML of the page's parts. */
  readonly main: readonly string[];
  readonly footer: string;
}

/** A page without script and network, from parts that are HTML already. */
export function staticPage({ title, sentence, state, because = '', main, footer }: StaticPage): string {
  const body = [
    `<header class="${state}">`,
    `<h1><strong>${htmlText(title)}</strong>: ${htmlText(sentence, 300)}</h1>`,
    ...(because === '' ? [] : [because]),
    '</header>',
    '<main>',
    ...main,
    '</main>',
    `<footer>\n${footer}\n</footer>`,
  ].join('\n');
  return htmlDocument(title, body, { withScript: false });
}
