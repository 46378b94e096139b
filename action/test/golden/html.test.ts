import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MetricVerdict, Verdict } from '../../src/model/verdict.ts';
import type { ContentOptions } from '../../src/report/content/report-content.ts';
import { style, styleHash } from '../../src/report/format/html-style.ts';
import { intervalDrawing } from '../../src/report/format/interval-drawing.ts';
import { largestPageBytes, renderPage } from '../../src/report/render/page.ts';
import { expectHarmless } from './harmless-page.ts';
import { hostileName } from './hostile-names.ts';
import { attribute, below, HtmlTree, textOf } from './html-tree.ts';
import { crowd, metric, reason, withFailedCosts } from './verdict-builder.ts';
import { verdicts } from './verdicts.ts';

/** These tests render megabytes many times, which takes long on a busy machine. */
const longTimeout = { timeout: 60_000 };

const fullReportUrl = 'https://github.com/owner/repo/actions/runs/42';
const options: ContentOptions = {
  command: './gate check',
  recording: { kind: 'push', branch: 'main' },
  configPath: 'perf/gate.yml',
  fullReport: { text: "the run's summary", url: fullReportUrl },
};

const addresses = [fullReportUrl];

function fixture(name: string): Verdict {
  const verdict = verdicts[name];
  if (verdict === undefined) throw new Error(`no verdict is called ${name}`);
  return verdict;
}

describe('the page', () => {
  for (const name of Object.keys(verdicts)) {
    it(name, async () => {
      const page = renderPage(fixture(name), options);
      expectHarmless(page, addresses);
      // A change of the style sheet must not change every golden page.
      const unstyled = page.replace(style, '').replace(styleHash, 'sha256');
      await expect(unstyled).toMatchFileSnapshot(`html/${name}.html`);
    });
  }

  it('names the fork that head comes from', () => {
    const tree = expectHarmless(
      renderPage(fixture('regression'), { ...options, fork: 'someone/<else>' }),
      addresses,
    );
    expect(tree.named('dd').map(textOf)).toContain('the fork someone/<else>, measured by its own run');
  });

  it('links only to web addresses', () => {
    const fullReport = { text: 'all of it', url: 'javascript:alert(1)' };
    const tree = new HtmlTree(renderPage(fixture('regression'), { ...options, fullReport }));
    expect(tree.named('a')).toEqual([]);
    expect(tree.named('dd').map(textOf)).toContain('all of it');
  });

  it('loads, runs and sends nothing', () => {
    const tree = new HtmlTree(renderPage(fixture('regression'), options));
    const [charset, policy] = tree.named('meta');
    expect(charset === undefined ? undefined : attribute(charset, 'charset')).toBe('utf-8');
    // The policy covers only what follows it, so it must come first.
    expect(policy === undefined ? undefined : attribute(policy, 'http-equiv')).toBe(
      'Content-Security-Policy',
    );
    expect(policy === undefined ? undefined : attribute(policy, 'content')).toBe(
      `default-src 'none'; style-src '${styleHash}'; base-uri 'none'; form-action 'none'`,
    );
    expect(style).not.toMatch(/url\(|@import/);
  });

  it('allows only its own style sheet, by hash', () => {
    expect(styleHash).toBe(`sha256-${createHash('sha256').update(style).digest('base64')}`);
  });
});

describe('accessibility', () => {
  it.each(Object.keys(verdicts))('%s has captioned tables whose rows match their headers', (name) => {
    const tree = new HtmlTree(renderPage(fixture(name), options));
    for (const table of tree.named('table')) {
      expect(below(table, 'caption').map(textOf).join('')).not.toBe('');
      const columns = below(table, 'th').filter((cell) => attribute(cell, 'scope') === 'col');
      for (const column of columns) expect(textOf(column)).not.toBe('');
      for (const group of below(table, 'tbody')) {
        const rows = below(group, 'tr');
        const [heading, ...others] = below(group, 'th');
        expect(others).toEqual([]);
        expect(heading === undefined ? '' : (attribute(heading, 'rowspan') ?? '1')).toBe(String(rows.length));
        for (const [index, row] of rows.entries()) {
          expect(below(row, 'td').length).toBe(columns.length - 1);
          expect(below(row, 'th').length).toBe(index === 0 ? 1 : 0);
        }
      }
    }
    for (const region of tree.named('section')) expect(attribute(region, 'aria-label')).not.toBe('');
    expect(tree.named('html').map((element) => attribute(element, 'lang'))).toEqual(['en']);
    expect(tree.named('h1')).toHaveLength(1);
    expect(tree.named('title').map(textOf)).not.toEqual(['']);
  });

  /** The colours of one scheme, by variable name. */
  function palette(css: string): ReadonlyMap<string, string> {
    return new Map([...css.matchAll(/--(\w+): #(\w{6})/g)].map(([, name = '', hex = '']) => [name, hex]));
  }

  /** The relative luminance of a colour, as WCAG 2.2 defines it. */
  function luminance(hex: string): number {
    const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
      const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
      return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }

  function contrast(one: string, other: string): number {
    const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
    return (lighter + 0.05) / (darker + 0.05);
  }

  const [light = '', dark = ''] = style.split('@media (prefers-color-scheme: dark)');

  it.each([
    ['light', light],
    ['dark', dark],
  ])('%s colours have enough contrast with the page and the band', (_, css) => {
    const colours = palette(css);
    for (const ground of ['page', 'band']) {
      for (const name of ['text', 'quiet', 'bad', 'good', 'doubt', 'link']) {
        const ratio = contrast(colours.get(name) ?? '', colours.get(ground) ?? '');
        expect(ratio, `${name} on ${ground}`).toBeGreaterThanOrEqual(4.5);
      }
    }
    for (const fill of ['grew2', 'grew1', 'same', 'shrank1', 'shrank2']) {
      const ratio = contrast(colours.get('text') ?? '', colours.get(fill) ?? '');
      expect(ratio, `text on ${fill}`).toBeGreaterThanOrEqual(4.5);
    }
  });
});

describe('the drawing of an interval', () => {
  const drawn = (one: MetricVerdict) => new HtmlTree(`<!DOCTYPE html>${intervalDrawing(one)}`);
  const xOf = (tree: HtmlTree, name: string) =>
    tree.elements
      .filter((element) => attribute(element, 'class') === name)
      .map((element) => Number(attribute(element, 'cx') ?? attribute(element, 'x1')));

  it('draws worse values on the right for every metric', () => {
    const [slower = 0] = xOf(drawn(metric('p95', 100, 0.2, 0.02)), 'point');
    const [faster = 0] = xOf(drawn(metric('p95', 100, -0.2, 0.02)), 'point');
    const [less = 0] = xOf(drawn(metric('tps', 100, -0.08, 0.02)), 'point');
    const [zero = 0] = xOf(drawn(metric('tps', 100, 0, 0.02)), 'zero');
    expect(faster).toBeLessThan(zero);
    expect(slower).toBeGreaterThan(zero);
    // Both changes are four fifths of their limit.
    expect(less).toBeCloseTo(slower, 5);
  });

  it('points to a value beyond its edge', () => {
    const tree = drawn(metric('p95', 100, 22.76, 4));
    expect(tree.named('circle')).toEqual([]);
    expect(tree.named('path')).toHaveLength(1);
    for (const x of xOf(tree, 'interval')) expect(x).toBeLessThanOrEqual(200);
  });

  it.each([0, 0.1, -0.1])('works for a limit of zero and a change of %f', (change) => {
    const svg = intervalDrawing(metric('errorRate', 0, change, 0.01, { limit: 0 }));
    expect(svg).not.toMatch(/NaN|Infinity/);
  });
});

it.each([
  ['80 cells with plain names', 80, 'service'],
  ['2,000 cells with plain names', 2000, 'service'],
  ['400 cells with angle brackets of 10,000 characters', 400, '<'.repeat(10_000)],
  ['400 cells with wide letters', 400, '東'.repeat(10_000)],
])('stays within its size limit with %s', longTimeout, (_, count, name) => {
  const page = renderPage(crowd(fixture('regression'), count, name), options);
  const bytes = new TextEncoder().encode(page).length;
  expect(bytes).toBeLessThanOrEqual(largestPageBytes);
  expect(page).toContain('<strong>Regression</strong>');
  expect(page).toContain('<strong>Next:</strong> fix it');
  expect(page.includes('Left out to save space:')).toBe(count > 80);
  expect(page).toMatch(/<\/html>\n$/);
});

it('has the same elements and attributes with any names', longTimeout, () => {
  fc.assert(
    fc.property(hostileName, hostileName, hostileName, hostileName, (scenario, load, other, text) => {
      const named = (names: readonly [string, string, string, string]): Verdict => {
        const [scenarioName, loadName, otherName, longText] = names;
        const base = withFailedCosts(fixture('regression-and-invalid'));
        return {
          ...base,
          suite: otherName,
          runId: otherName,
          code: { commit: otherName, branch: longText, dirty: false },
          invalid: [reason(otherName, longText, longText)],
          cells: base.cells.map((cell) => ({
            ...cell,
            scenario: scenarioName,
            load: loadName,
            endpoints: cell.endpoints.map((one) => ({ ...one, name: otherName })),
            signals: cell.signals.map((one) => ({
              ...one,
              title: otherName,
              unit: otherName,
              // An empty hint has no line of its own.
              hint: `${longText}.`,
            })),
            uncounted: cell.uncounted.map((one) => ({ ...one, title: otherName })),
            objectives: cell.objectives.map((one) => ({ ...one, objective: longText })),
            invalid: cell.invalid.map(() => reason(otherName, longText, longText)),
          })),
        };
      };
      const hostile = expectHarmless(
        renderPage(named([scenario, load, other, text]), { ...options, fork: text, configPath: other }),
        addresses,
      );
      const plain = new HtmlTree(
        renderPage(named(['a', 'b', 'c', 'd']), { ...options, fork: 'd', configPath: 'c' }),
      );
      // The page replaces an empty name with words, without the element that marks a name.
      const withoutCode = (shape: readonly string[]) => shape.filter((one) => one !== 'code[]');
      expect(withoutCode(hostile.shape)).toEqual(withoutCode(plain.shape));
    }),
    { numRuns: 40 },
  );
});
