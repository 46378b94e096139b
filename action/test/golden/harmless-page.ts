import { expect } from 'vitest';
import { attribute, HtmlTree } from './html-tree.ts';

/** Every element and attribute that the renderer writes. Any other would come from an injected name. */
const allowedElements: Readonly<Record<string, readonly string[]>> = {
  script: [],
  h3: [],
  b: [],
  div: ['class', 'tabindex', 'role', 'aria-label', 'data-blocks', 'data-seconds'],
  figure: [],
  figcaption: [],
  span: ['class'],
  text: ['class', 'x', 'y'],
  g: ['transform', 'class'],
  html: ['lang'],
  head: [],
  meta: ['charset', 'http-equiv', 'content', 'name'],
  title: [],
  style: [],
  body: [],
  header: ['class'],
  main: [],
  footer: [],
  h1: [],
  h2: [],
  p: ['class', 'aria-live'],
  ul: [],
  li: [],
  strong: [],
  code: [],
  a: ['href'],
  section: ['class', 'tabindex', 'aria-label'],
  details: ['class', 'open'],
  summary: [],
  table: [],
  caption: ['class'],
  thead: [],
  tbody: [],
  tr: ['class'],
  th: ['scope', 'class', 'rowspan'],
  td: ['class'],
  dl: [],
  dt: [],
  dd: [],
  svg: [
    'width',
    'height',
    'viewBox',
    'aria-hidden',
    'aria-label',
    'role',
    'class',
    'preserveAspectRatio',
    'data-unit',
  ],
  rect: ['class', 'x', 'y', 'width', 'height'],
  line: ['class', 'x1', 'y1', 'x2', 'y2'],
  circle: ['class', 'cx', 'cy', 'r'],
  path: ['class', 'd'],
};

/** Fails if the page holds anything that is not the work of the renderer. */
export function expectHarmless(page: string, addresses: readonly string[]): HtmlTree {
  const tree = new HtmlTree(page);
  expect(tree.errors).toEqual([]);
  for (const { tagName, attrs } of tree.elements) {
    expect(Object.keys(allowedElements)).toContain(tagName);
    for (const { name } of attrs) expect(allowedElements[tagName], tagName).toContain(name);
  }
  expect(tree.nodes.filter(({ nodeName }) => nodeName === '#comment')).toEqual([]);
  for (const link of tree.named('a')) expect(addresses).toContain(attribute(link, 'href'));
  // The script is the gate's own, and the policy names its hash.
  expect(page.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
  return tree;
}
