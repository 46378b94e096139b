import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CheckRecord } from '../../src/model/record.ts';
import type { BlockSeries, LoadSeries } from '../../src/model/series.ts';
import { script, scriptHash } from '../../src/report/format/page-script.ts';
import { percentileChart } from '../../src/report/pictures/percentile-chart.ts';
import { timeAxis } from '../../src/report/pictures/time-axis.ts';
import { cellPictures } from '../../src/report/render/cell-pictures.ts';
import { largestPageBytes, type PageOptions, renderPage } from '../../src/report/render/page.ts';
import { blockSeries } from './example-series.ts';
import { expectHarmless } from './harmless-page.ts';
import { hostileName } from './hostile-names.ts';
import { attribute, HtmlTree, textOf } from './html-tree.ts';
import { records } from './record-examples.ts';

const options: Omit<PageOptions, 'record'> = {
  command: './gate check',
  recording: { kind: 'push', branch: 'main' },
  configPath: 'perf/gate.yml',
  fullReport: { text: 'verdict.json' },
};
const page = (record: CheckRecord) => renderPage(record.verdict, { ...options, record });
const fixture = (name: string): CheckRecord => {
  const found = records[name];
  if (found === undefined) throw new Error(`no record is called ${name}`);
  return found;
};
const pathsIn = (markup: string) => [...markup.matchAll(/ d="([^"]*)"/g)].map(([, d = '']) => d);

describe('the pictures of the page', () => {
  for (const [name, record] of Object.entries(records)) {
    it(`${name} are drawn in numbers, and add nothing harmful`, () => {
      const text = page(record);
      const tree = expectHarmless(text, []);
      expect(pathsIn(text).join('')).not.toMatch(/NaN|Infinity|undefined/);
      expect(tree.named('details').length).toBeGreaterThanOrEqual(
        record.verdict.cells.filter(({ head }) => head.blocks > 0).length,
      );
      for (const figure of tree.named('figure')) expect(textOf(figure)).not.toBe('');
      for (const svg of tree.named('svg')) {
        const named = attribute(svg, 'role') === 'img' && (attribute(svg, 'aria-label') ?? '') !== '';
        expect(named || attribute(svg, 'aria-hidden') === 'true').toBe(true);
      }
    });
  }

  it.each(['first-run', 'regression', 'interleaved'])('%s', async (name) => {
    const record = fixture(name);
    const [cell] = record.verdict.cells;
    const drawn = cell === undefined ? '' : cellPictures(record, cell, true);
    await expect(drawn.replaceAll('><', '>\n<')).toMatchFileSnapshot(`html/pictures-${name}.html`);
  });

  it('come in the order of importance, and only a regression is open', () => {
    const tree = new HtmlTree(page(fixture('regression')));
    const cells = tree.named('details').filter((details) => attribute(details, 'class') === 'cell');
    expect(cells.map((details) => attribute(details, 'open') !== undefined)).toEqual([true, false]);
  });

  it('allow only the script of the page, by hash', () => {
    expect(scriptHash).toBe(`sha256-${createHash('sha256').update(script).digest('base64')}`);
    const [, policy] = new HtmlTree(page(fixture('stored'))).named('meta');
    expect(policy === undefined ? '' : attribute(policy, 'content')).toContain(`script-src '${scriptHash}';`);
  });

  it('leave out cells rather than make a page that opens slowly', () => {
    const many = fixture('many-endpoints');
    const copies = Array.from({ length: 60 }, (_, index) => `copy-${index}`);
    const inAll = <T extends { readonly scenario: string }>(items: readonly T[]) =>
      copies.flatMap((scenario) => items.map((item) => ({ ...item, scenario })));
    const side = ({ run, series }: CheckRecord['head']): CheckRecord['head'] => ({
      profiles: [],
      run: { ...run, cells: inAll(run.cells) },
      series: copies.flatMap((scenario) =>
        series.map((one) => (one.phase === 'block' ? { ...one, scenario } : one)),
      ),
    });
    const text = page({
      ...many,
      verdict: { ...many.verdict, cells: inAll(many.verdict.cells) },
      head: side(many.head),
      ...(many.base === undefined ? {} : { base: side(many.base) }),
    });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(largestPageBytes);
    expect(text).toMatch(/\d+ more cells would make this page too large/);
  });
});

describe('percentileChart', () => {
  it('draws base and head of the second measurement where there is one', () => {
    const drawn = percentileChart(fixture('regression'), 'trip-edit@peak');
    expect(drawn).toContain('second measurement');
    expect(new HtmlTree(drawn).named('path')).toHaveLength(2);
  });

  it('draws what stored runs still know', () => {
    const tree = new HtmlTree(percentileChart(fixture('stored'), 'trip-edit@peak'));
    expect(tree.named('circle').filter((mark) => attribute(mark, 'class') === 'mark base')).toHaveLength(4);
  });
});

describe('timeAxis', () => {
  const taken = (more: Partial<BlockSeries>) => {
    const { side, round, ...one } = blockSeries(more);
    return { ...one, side, name: `${side}, round ${round + 1}`, label: `${side} ${round + 1}` };
  };
  const lineOf = (markup: string, title: string) => {
    const figure = new HtmlTree(markup).named('figure').find((one) => textOf(one).startsWith(title));
    return figure === undefined ? undefined : pathsIn(markup.slice(markup.indexOf(`<strong>${title}`)))[0];
  };

  it('puts the blocks one after the other, in values, with a gap where nothing is known', () => {
    const markup = timeAxis([taken({ side: 'base' }), taken({ round: 1 })], 'trip-edit@peak');
    expect(lineOf(markup, 'Response times')).toBe('M0.5,10L1.5,10L2.5,10L3.5,10M4.5,10L5.5,10L6.5,10L7.5,10');
    // The third of four values could not be read.
    expect(lineOf(markup, 'Connections of the pool')).toBe('M0.5,0L1.5,3L3.5,4M4.5,0L5.5,3L7.5,4');
    expect(markup).toContain('base, round 1');
    expect(markup).toContain('head, round 2');
  });

  it('leaves out readings that there are none of, and names those that were always zero', () => {
    const readings = { slowStatements: [null, 0, 0, 0] };
    const markup = timeAxis([taken({ readings, failures: { 500: [0, 0, 0, 0] } })], 'a@b');
    expect(markup).not.toContain('CPU of the machine');
    expect(markup).toContain('All zero: Failed requests per second, Slow statements and row-lock waits.');
  });

  it('thins a long run, and keeps its mean', () => {
    const long = Array.from({ length: 3_000 }, (_, second) => second % 2);
    const all = { requests: long, failed: long, p50Ms: long, p95Ms: long, p99Ms: long };
    const markup = timeAxis([taken({ all, endpoints: {}, users: long, readings: {}, failures: {} })], 'a@b');
    const points = lineOf(markup, 'Requests per second')?.split('L') ?? [];
    expect(points.length).toBeLessThanOrEqual(600);
    const values = points.map((point) => Number(point.split(',')[1]));
    expect(values.reduce((sum, value) => sum + value, 0) / values.length).toBeCloseTo(0.5, 1);
  });

  it('has the same elements with any names', () => {
    const shapeOf = (name: string) =>
      expectHarmless(
        page({
          ...fixture('first-run'),
          head: {
            ...fixture('first-run').head,
            series: [blockSeries({ endpoints: { [name]: blockSeries({}).all }, failures: {} })],
          },
        }),
        [],
      ).shape;
    const plain = shapeOf('plain');
    fc.assert(
      fc.property(hostileName, (name) => {
        // An object cannot have this key as its own by a literal.
        fc.pre(name !== '__proto__');
        expect(shapeOf(name)).toEqual(plain);
      }),
      { numRuns: 30 },
    );
  });

  it('draws the warm-up, window by window', () => {
    const { head, ...rest } = fixture('first-run');
    const windows = [blockSeries({}), blockSeries({ startedAt: '2026-10-05T10:00:03.000Z' })].map(
      ({ phase: _, scenario, load, round, guardSeconds, countedSeconds, ...one }): LoadSeries => ({
        ...one,
        phase: 'warm-up',
      }),
    );
    const text = page({ ...rest, head: { ...head, series: windows } });
    expect(text).toContain('<summary>Warm-up</summary>');
    expect(text).toContain('head, window 2');
    expect(text).not.toContain('class="uncounted"');
  });

  it('is absent without series', () => {
    expect(timeAxis([], 'a@b')).toBe('');
  });
});
