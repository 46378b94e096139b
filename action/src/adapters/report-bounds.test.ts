import { expect, it } from 'vitest';
import { buildRun } from '../../test/contract/run-builder.ts';
import type { Run } from '../model/run.ts';
import { excess } from './report-bounds.ts';
import { parseReportFile } from './report-file.ts';

const run = buildRun(1);
const [cell] = run.cells;
const [block] = cell?.blocks ?? [];
const many = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
const report = (more: Partial<Run> = {}) => ({
  schema: 1,
  vuFactor: 1,
  seconds: 1,
  run: { ...run, ...more },
});
const withBlock = (more: object) =>
  report({ cells: [{ ...cell, blocks: [{ ...block, ...more }] }] as Run['cells'] });
const reason = { code: 'I_STEAL', cause: 'c', nextStep: 'n' };
const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);

it('lets the largest report pass that a suite makes', () => {
  const large = report({
    cells: many(200, (index) => ({
      ...cell,
      load: `l${index}`,
      blocks: many(100, () => block),
    })) as Run['cells'],
    invalid: many(50, () => reason),
  });
  expect(excess(large)).toBeUndefined();
  expect(parseReportFile(JSON.stringify(report()), 'p').run.id).toBe(run.id);
});

it.each([
  ['cells', report({ cells: many(201, () => cell) as Run['cells'] }), /^run\.cells: more than 200/],
  [
    'blocks',
    report({ cells: [{ ...cell, blocks: many(101, () => block) }] as Run['cells'] }),
    /blocks: more than 100/,
  ],
  ['endpoints', withBlock({ endpoints: many(201, () => ({})) }), /endpoints: more than 200/],
  ['reasons of a block', withBlock({ invalid: many(51, () => reason) }), /invalid: more than 50/],
  ['reasons of the run', report({ invalid: many(51, () => reason) }), /run\.invalid: more than 50/],
  [
    'versions',
    report({
      fingerprint: {
        ...run.fingerprint,
        versions: Object.fromEntries(many(51, (index) => [`v${index}`, '1'])),
      },
    }),
    /versions: more than 50/,
  ],
  [
    'unknown fields',
    { ...report(), ...Object.fromEntries(many(51, (index) => [`f${index}`, 1])) },
    /report: more than 50/,
  ],
  ['a text', report({ suite: 'x'.repeat(1_001) }), /run\.suite: longer than 1000/],
  ['a name', withBlock({ signals: { ['x'.repeat(1_001)]: 1 } }), /a name longer than 1000/],
  ['levels', { a: deep(1_000) }, /levels deep/],
])('refuses too many or too long: %s', (_, data, place) => {
  expect(excess(data)).toMatch(place);
  expect(() => parseReportFile(JSON.stringify(data), 'p')).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ code: 'E_REPORT_CORRUPT' }) }),
  );
});

it('refuses megabytes of anything within seconds', { timeout: 60_000 }, () => {
  const bytes = 2 * 1024 * 1024;
  for (const text of [
    '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
    `{"cells":[${'{},'.repeat(bytes / 3 - 10)}{}]}`,
    `{"a":"${'x'.repeat(bytes - 10)}"}`,
    `{${many(100_000, (index) => `"k${index}":1`).join()}}`,
  ]) {
    const begun = performance.now();
    expect(() => parseReportFile(text, 'p')).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ code: 'E_REPORT_CORRUPT' }) }),
    );
    expect(performance.now() - begun).toBeLessThan(5_000);
  }
});
