import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markdownTree, nodesOf, shownText } from '../../../test/golden/markdown-tree.ts';
import { markdownCode, markdownInline, markdownLine, markdownLink } from './markdown-text.ts';
import { plainText } from './plain-text.ts';

const markdownText = (text: string) => markdownLine(markdownInline(text));

/** Pieces of names that could do harm. */
const hostilePieces = [
  '@org/team',
  '@octocat',
  'a@b.com',
  '<!-- perf-gate -->',
  '-->',
  '<img src=x onerror=alert(1)>',
  '</details>',
  '<details>',
  '![x](https://e.vil/x.png)',
  '[x](https://e.vil)',
  '[x]: https://e.vil',
  '[^1]',
  'https://e.vil/?a=b',
  'www.e.vil',
  'mailto:a@b.com',
  '::error::x',
  'a"; echo pwn #',
  '#1',
  'org/repo#1',
  'GH-1',
  ':tada:',
  '$x^2$',
  '$`x`$',
  '|',
  '\\|',
  '\\',
  '`',
  '```',
  '~~x~~',
  '**x**',
  '_x_',
  '# x',
  '- x',
  '+ x',
  '1. x',
  '===',
  '---',
  '> x',
  '&#64;org',
  '&lt;b&gt;',
  '[ ] x',
  '\u202etxt',
  '\u2066x',
  '\n\n# x',
  '\r\n| a |',
  '\t',
  '    ',
  '\u0000',
  'é',
  '東京',
  '👩‍💻',
];

const hostile = fc
  .array(fc.oneof(fc.constantFrom(...hostilePieces), fc.string({ unit: 'binary', maxLength: 8 })), {
    maxLength: 8,
  })
  .map((pieces) => pieces.join(''));

/** The text that a reader should see. */
function meant(text: string): string {
  return plainText(text).trim();
}

const inert = new Set(['root', 'paragraph', 'text', 'inlineCode', 'table', 'tableRow', 'tableCell']);

function kindsIn(markdown: string): string[] {
  return nodesOf(markdownTree(markdown)).map(({ type }) => type);
}

/** Patterns that GitHub acts on in the rendered page, outside of code. */
const acted = [/(?:^|\W)@[a-z0-9]/i, /#\d/, /\bgh-\d/i, /:[\w+-]+:/, /:\/\//, /\bwww\./i];

describe('text from outside in Markdown', () => {
  it('is shown literally on a line of its own', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const markdown = markdownText(text);
        expect(markdown).not.toMatch(/[\r\n]/);
        const tree = markdownTree(markdown);
        expect(kindsIn(markdown).filter((kind) => !['root', 'paragraph', 'text'].includes(kind))).toEqual([]);
        expect(shownText(tree).replaceAll('\u200b', '')).toBe(meant(text));
      }),
      { numRuns: 1000 },
    );
  });

  it('is shown literally in a table cell, as text and as code', () => {
    fc.assert(
      fc.property(hostile, hostile, (text, name) => {
        const markdown = `| a | b | c |\n| - | - | - |\n| ${markdownInline(text)} | ${markdownCode(name)} | end |`;
        expect(nodesOf(markdownTree(markdown)).filter(({ type }) => !inert.has(type))).toEqual([]);
        const rows = nodesOf(markdownTree(markdown)).filter((node) => node.type === 'tableRow');
        expect(rows.map(({ children }) => children.length)).toEqual([3, 3]);
        const [first, second, third] = rows[1]?.children ?? [];
        expect(first && shownText(first).replaceAll('\u200b', '')).toBe(meant(text));
        expect(second?.children.map(({ type }) => type)).toEqual([
          markdownCode(name) === '(no name)' ? 'text' : 'inlineCode',
        ]);
        expect(third && shownText(third)).toBe('end');
      }),
      { numRuns: 1000 },
    );
  });

  it('contains nothing that GitHub recognises in the rendered page', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const shown = shownText(markdownTree(markdownText(text)));
        for (const pattern of acted) expect(shown).not.toMatch(pattern);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['@org/team', '@&#8203;org/team'],
    ['<!-- perf-gate -->', '&#60;!-- perf-gate --&#62;'],
    ['a | b', 'a &#124; b'],
    ['p95 +48% [+31, +65]', 'p95 +48% \\[+31, +65\\]'],
    ['fixes #12', 'fixes #&#8203;12'],
    ['https://e.vil', 'https:&#8203;//e.vil'],
    ['- 3 of 4', '\\- 3 of 4'],
    ['2026. a year', '2026\\. a year'],
    ['of 2026-01-30 17:00 UTC', 'of 2026-01-30 17:00 UTC'],
  ])('%s', (text, markdown) => {
    expect(markdownText(text)).toBe(markdown);
  });

  it('is bounded in length', () => {
    expect(markdownText('x'.repeat(10_000)).length).toBeLessThan(700);
    expect(markdownCode('x'.repeat(10_000))).toHaveLength(82);
    expect(markdownCode(`e${'\u0301'.repeat(10_000)}`).length).toBeLessThan(700);
  });
});

describe('a link', () => {
  it('leads only to the page', () => {
    fc.assert(
      fc.property(
        hostile,
        fc.oneof(fc.webUrl({ withQueryParameters: true, withFragments: true }), hostile),
        (text, url) => {
          const links = nodesOf(markdownTree(markdownLink(text || 'x', url))).filter(
            ({ type }) => type === 'link',
          );
          const isPage = /^https?:$/.test(URL.parse(url)?.protocol ?? '');
          expect(links).toHaveLength(isPage ? 1 : 0);
        },
      ),
    );
  });

  it('is plain text if the address is not a web page', () => {
    expect(markdownLink('x', 'javascript:alert(1)')).toBe('x');
    expect(markdownLink('x', undefined)).toBe('x');
  });

  it('escapes the characters that could end its address', () => {
    expect(markdownLink('x', 'https://a.example/(b)?c=`|')).toBe('[x](https://a.example/%28b%29?c=%60%7C)');
  });
});
