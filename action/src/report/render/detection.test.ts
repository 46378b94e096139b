import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { detectionSchema } from '../../model/detection.ts';
import { detectionOverview, detectionReport, detectionTables } from './detection.ts';
import { shareText } from './detection-cells.ts';

const found = detectionSchema.parse(
  JSON.parse(readFileSync(new URL('../../../../perf/detection/results.json', import.meta.url), 'utf8')),
);

/** Rows and columns of a Markdown table. */
function cells(table: string): readonly (readonly string[])[] {
  return table.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

describe('the tables of the bench', () => {
  it('have a row for every rule, and as many cells in each', () => {
    const { unchanged } = detectionTables(found);
    const rows = cells(unchanged);
    expect(rows.length).toBe(2 + found.rules.length);
    expect(new Set(rows.map((row) => row.length)).size).toBe(1);
  });

  it('say of each regime what became of the checks that were not red', () => {
    const [first] = found.unchanged;
    if (first === undefined) throw new Error('there are no results');
    const outcomes = { regression: 0.1, pass: 0.2, coarse: 0.3, noise: 0.15, invalid: 0.25 };
    const red = { rate: 0.1, low: 0, high: 0.5 };
    const stolen = { ...first, regime: 'stolen', red, suspect: 0.4, outcomes, runs: 6 };
    const [, , ...rows] = cells(detectionTables({ ...found, unchanged: [first, stolen] }).regimes);
    expect(rows).toEqual([
      ['stolen', '**perf-gate, stored runs**', '10% [0, 50]', '40%', '20%', '30%', '40%', '6'],
    ]);
  });

  it('show this project’s rules first, and a source for each other one', () => {
    const [, , first = [], second = [], ...others] = cells(detectionTables(found).unchanged);
    expect([first[0], second[0]]).toEqual(['**perf-gate, stored runs**', '**perf-gate, base next to head**']);
    for (const [rule] of others) expect(rule).toMatch(/^\[.+\]\(https:\/\/.+\)$/);
  });

  it('print rates with their bounds, and small ones to a tenth', () => {
    const [first, ...others] = found.unchanged;
    if (first === undefined) throw new Error('there are no results');
    const changed = (red: typeof first.red) => ({ ...found, unchanged: [{ ...first, red }, ...others] });
    const shown = (red: typeof first.red) => cells(detectionTables(changed(red)).unchanged)[2]?.[1];
    expect(shown({ rate: 0, low: 0, high: 0.393 })).toBe('0% [0, 39]');
    expect(shown({ rate: 0.012, low: 0.0101, high: 0.0149 })).toBe('1.2% [1.0, 1.5]');
    expect(cells(detectionOverview(changed({ rate: 0.5, low: 0.25, high: 1 })))[2]?.[1]).toBe(
      '50% [25, 100]',
    );
  });

  it('show both answers for a change that was recorded twice, and one if they agree', () => {
    const shown = (own: readonly string[], peer: readonly string[]) => {
      const of = (rule: string, answers: readonly string[]) =>
        answers.map((answer) => ({ change: 'index', rule, answer }));
      const changes = [...of('perf-gate-stored', own), ...of('bencher-t', peer)];
      return cells(detectionTables({ ...found, changes }).changes)[2];
    };
    expect(shown(['red', 'suspect'], ['red', 'not red'])).toEqual([
      'index',
      'red, suspect',
      '`bencher-t`',
      '`bencher-t`',
    ]);
    expect(shown(['red', 'red'], ['not red', 'not red'])).toEqual(['index', 'red', '`bencher-t`']);
  });

  it('are all in the text for a terminal', () => {
    const text = detectionReport(found);
    for (const table of Object.values(detectionTables(found))) expect(text).toContain(table);
  });
});

describe('the overview', () => {
  const half = { rate: 0.5, low: 0.25, high: 0.75 };

  it('says in words what this project’s rule found, and how often it is wrong', () => {
    const power = found.power.map((one) =>
      one.rule === 'perf-gate-stored' && one.scene === 'cpu 20%' ? { ...one, red: half } : one,
    );
    const levers = found.levers.map((one) =>
      one.lever === 'confirmation' && one.scene === 'unchanged' ? { ...one, red: half } : one,
    );
    const simulated = found.simulated
      .filter(({ scene }) => scene === 'unchanged')
      .map((one, index) => ({
        ...one,
        world: `world ${index % 2}`,
        red: { ...half, rate: one.rule === 'perf-gate-beside' ? 0.2 + (index % 2) / 10 : 0.4 },
      }));
    const text = detectionOverview({ ...found, power, levers, simulated }).replaceAll('\n', ' ');
    expect(text).toContain('and 50% [25, 75] of those by 20%.');
    expect(text).toContain('undecided, or red (50% of all checks).');
    expect(text).toContain(
      'On the best of 2 simulated machines the rule fails 40% of unchanged code, and 40% on the worst one.',
    );
    expect(text).toMatch(/Base next to head, it is 20% and 30%\.$/);
  });

  it('fails if the results lack one of its figures', () => {
    const power = found.power.filter(({ scene }) => scene !== 'cpu 20%');
    expect(() => detectionOverview({ ...found, power })).toThrow('lack perf-gate-stored in cpu 20%');
  });
});

describe('a share', () => {
  it.each([
    [0, '0%'],
    [0.0012, '0.1%'],
    [0.0994, '9.9%'],
    [0.0996, '10%'],
    [0.5, '50%'],
    [1, '100%'],
  ])('of %f is %s', (share, text) => {
    expect(shareText(share)).toBe(text);
  });
});
