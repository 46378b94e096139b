import { style, styleHash } from '../format/html-style.ts';
import { htmlText } from '../format/html-text.ts';

export interface StaticPage {
  readonly title: string;
  readonly sentence: string;
  /** Colours the head of the page. */
  readonly state: 'pass' | 'regression' | 'undecided' | 'unknown';
  /** HTML below the sentence. */
  readonly because?: string;
  /** HTML of the page's parts. */
  readonly main: readonly string[];
  readonly footer: string;
}

/** A page without script and network, from parts that are HTML already. */
export function staticPage({ title, sentence, state, because = '', main, footer }: StaticPage): string {
  return [
    '<!DOCTYPE html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '${styleHash}'; base-uri 'none'; form-action 'none'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${htmlText(title)}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    `<header class="${state}">`,
    `<h1><strong>${htmlText(title)}</strong>: ${htmlText(sentence, 300)}</h1>`,
    ...(because === '' ? [] : [because]),
    '</header>',
    '<main>',
    ...main,
    '</main>',
    `<footer>\n${footer}\n</footer>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}
