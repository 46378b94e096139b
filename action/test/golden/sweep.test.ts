import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Sweep, SweepBoot, SweptVariant } from '../../src/model/sweep.ts';
import { sweepFinding } from '../../src/report/content/sweep.ts';
import { plainPaint } from '../../src/report/format/paint.ts';
import { displayWidth } from '../../src/report/format/text-layout.ts';
import { findingPage, findingText } from '../../src/report/render/finding.ts';
import { expectHarmless } from './harmless-page.ts';
import { hostileName } from './hostile-names.ts';

function boot(tps: number, more: Partial<SweepBoot> = {}): SweepBoot {
  return { tps, p95Ms: 300_000 / tps, errorRate: 0, serviceCpu: 0.45, usedCpu: 0.97, invalid: [], ...more };
}

function twice(pool: string, tps: number, change: number, asGood: boolean): SweptVariant {
  return {
    values: { DB_POOL_SIZE: pool },
    boots: [boot(0.99 * tps), boot(1.01 * tps)],
    contrast: {
      change,
      low: change === 0 ? 0 : change - 0.04,
      high: change === 0 ? 0 : change + 0.04,
      asGood,
    },
  };
}

const sweep: Sweep = {
  schema: 1,
  id: '20260101-000000-abcdef',
  startedAt: '2026-01-01T00:00:00.000Z',
  cell: 'plan-edit@peak',
  commit: '0123456789abcdef0123456789abcdef01234567',
  machine: { cpuModel: 'A processor', cpuCount: 2, memoryGiB: 4 },
  figure: 'tps',
  tolerance: 0.05,
  variants: [
    {
      values: { DB_POOL_SIZE: '1' },
      boots: [boot(310, { usedCpu: 0.4 })],
      ended: 'worse than the two best by more than 35%',
      hopeless: true,
    },
    twice('2', 640, -0.112, false),
    twice('4', 720, 0, true),
    twice('5', 711, -0.0125, true),
    {
      values: { DB_POOL_SIZE: '500' },
      boots: [],
      ended: 'the service ended while it started, with exit code 1',
    },
  ],
  best: 2,
  differs: true,
};

const even = (values: readonly Readonly<Record<string, string>>[], usedCpu: number): Sweep => ({
  ...sweep,
  variants: values.map((one, index) => ({
    values: one,
    boots: [boot(700 - index, { usedCpu }), boot(702 - index, { usedCpu })],
    contrast: {
      change: -0.002 * index,
      low: -0.002 * index - 0.08,
      high: 0.08 - 0.002 * index,
      asGood: true,
    },
  })),
  best: 0,
  differs: false,
});

const cases: Readonly<Record<string, Sweep>> = {
  best: sweep,
  'cpu-is-the-limit': even(
    [{ SERVER_THREADS: '50' }, { SERVER_THREADS: '100' }, { SERVER_THREADS: '200' }],
    0.97,
  ),
  'cores-are-used-up': { ...even([{ DB_POOL_SIZE: '5' }, { DB_POOL_SIZE: '10' }], 0.7), cpus: 1 },
  'only-one-left': {
    ...sweep,
    variants: [
      { values: { DB_POOL_SIZE: '4' }, boots: [boot(720), boot(715)] },
      {
        values: { DB_POOL_SIZE: '40' },
        boots: [boot(900, { errorRate: 0.12 })],
        ended: '12.0% of its requests failed',
        hopeless: true,
      },
    ],
    best: 0,
  },
  'fixed-rate': { ...even([{ DB_POOL_SIZE: '5' }, { DB_POOL_SIZE: '10' }], 0.3), figure: 'p95' },
  'nothing-reads-it': even([{}, { HEAP: '1', NAME: 'x' }], 0.41),
  collectors: {
    ...even(
      ['Parallel', 'G1', 'Z'].map((name) => ({
        '-XX:AOTCache=a': '-XX:AOTMode=off',
        '-XX:+UseGC': `-XX:+Use${name}GC`,
      })),
      0.97,
    ),
    figure: 'p95',
    differs: true,
  },
  doubtful: {
    ...sweep,
    variants: sweep.variants.map((one, index) => ({
      ...one,
      boots: one.boots.map((own) => (index === 3 ? { ...own, invalid: ['k6 used 45% of the CPU'] } : own)),
    })),
  },
  partial: {
    ...sweep,
    variants: sweep.variants.slice(0, 3).map(({ values, boots }) => ({ values, boots: boots.slice(0, 1) })),
    best: undefined as never,
    differs: false,
    partial: 'it was interrupted by SIGINT',
  },
};

describe.each(Object.entries(cases))('a sweep, %s', (name, given) => {
  it.each([80, 120])('as text, %i columns', async (width) => {
    const text = findingText(sweepFinding(given), { width, paint: plainPaint });
    for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(width);
    await expect(text).toMatchFileSnapshot(`sweep/${name}-${width}.txt`);
  });

  it('as a page', () => {
    const page = findingPage(sweepFinding(given));
    expectHarmless(page, []);
    expect(page).toContain('<svg');
  });
});

it('calls a value as good only if its p95 is not longer by more than the tolerance', () => {
  const [first, second] = even([{ DB_POOL_SIZE: '5' }, { DB_POOL_SIZE: '10' }], 0.3).variants;
  if (first === undefined || second === undefined) throw new Error('the sweep has no values');
  const wordOf = (figure: Sweep['figure'], low: number) => {
    const variants = [first, { ...second, contrast: { change: -0.01, low, high: 0.02, asGood: true } }];
    return sweepFinding({ ...sweep, variants, best: 0, figure }).tables[0]?.rows[1]?.cells.at(-1);
  };
  // A p95 that is 5% longer is 1 / 1.05 - 1 = -4.76% of what more of is better.
  expect(wordOf('p95', -0.047)).toBe('as good');
  expect(wordOf('p95', -0.049)).toBe('unclear');
  expect(wordOf('tps', -0.049)).toBe('as good');
});

it('a sweep stays harmless with hostile names, values and causes', () => {
  fc.assert(
    fc.property(hostileName, hostileName, hostileName, (name, value, cause) => {
      const values = { values: { [name]: value }, boots: [boot(1, { invalid: [cause] })] };
      const other = { values: { [name]: `${value}2` }, boots: [], ended: cause };
      expectHarmless(findingPage(sweepFinding({ ...sweep, variants: [values, other], best: 0 })), []);
    }),
    { numRuns: 20 },
  );
});
