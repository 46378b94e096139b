import { style, styleHash } from '../format/html-style.ts';
import { htmlText } from '../format/html-text.ts';
import { script, scriptHash } from '../format/page-script.ts';

/** The page loads nothing and sends nothing. It runs at most its own script, which reads the pictures. */
function policy(withScript: boolean): string {
  const own = withScript ? ` script-src '${scriptHash}';` : '';
  return `default-src 'none'; style-src '${styleHash}';${own} base-uri 'none'; form-action 'none'`;
}

/** A page that needs no network, around a body that is HTML already. */
export function htmlDocument(
  title: string,
  body: string,
  { withScript }: { readonly withScript: boolean },
): string {
  return [
    '<!DOCTYPE html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy(withScript)}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${htmlText(title, 300)}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    body,
    ...(withScript ? [`<script>${script}</script>`] : []),
    '</body>',
    '</html>',
    '',
  ].join('\n');
}
