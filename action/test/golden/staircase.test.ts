import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Staircase, StaircaseStep } from '../../src/model/staircase.ts';
import { staircaseFinding } from '../../src/report/content/staircase.ts';
import { plainPaint } from '../../src/report/format/paint.ts';
import { displayWidth } from '../../src/report/format/text-layout.ts';
import { findingPage, findingText } from '../../src/report/render/finding.ts';
import { expectHarmless } from './harmless-page.ts';
import { hostileName } from './hostile-names.ts';

function step(
  users: number,
  tps: number,
  serviceCpu: number,
  more: Partial<StaircaseStep> = {},
): StaircaseStep {
  const meanMs = (1000 * users) / tps;
  return {
    users,
    blocks: 3,
    tps: { value: tps, low: 0.96 * tps, high: 1.04 * tps },
    meanMs,
    p95Ms: { value: 2 * meanMs, low: 1.8 * meanMs, high: 2.3 * meanMs },
    errorRate: 0,
    cpu: {
      service: serviceCpu,
      backing: serviceCpu / 3,
      generator: serviceCpu / 6,
      others: 0.01,
      stolen: 0.02,
    },
    seen: {},
    invalid: [],
    generatorLimits: false,
    ...more,
  };
}

const staircase: Staircase = {
  schema: 1,
  id: '20260101-000000-abcdef',
  startedAt: '2026-01-01T00:00:00.000Z',
  scenario: 'trip-edit',
  commit: '0123456789abcdef0123456789abcdef01234567',
  machine: { cpuModel: 'A processor', cpuCount: 2, memoryGiB: 4 },
  steps: [
    step(10, 430, 0.3),
    step(25, 870, 0.6),
    step(50, 1010, 0.62),
    step(100, 1024, 0.64, { invalid: ['other guests of the host took 35% of the CPU time'] }),
    step(200, 1003, 0.64),
  ],
  fit: {
    single: 50,
    contention: 0.031,
    coherence: 0.000012,
    knee: { value: 21, low: 18, high: 24 },
    peak: { value: 1030, low: 990, high: 1064 },
  },
  limit: { part: 'serviceCpu', evidence: 'with 200 users 97% of all CPU was in use: service 64%' },
  target: { p95Ms: 500, users: 251 },
};

const cases: Readonly<Record<string, Staircase>> = {
  limited: staircase,
  growing: {
    ...staircase,
    steps: staircase.steps.slice(0, 2),
    fit: undefined as never,
    limit: { part: 'none', evidence: 'throughput still grew with 25 users' },
    target: { p95Ms: 500 },
  },
  partial: {
    ...staircase,
    steps: staircase.steps.slice(0, 3),
    limit: { part: 'unknown', evidence: 'with 50 users 20% of all CPU was idle' },
    partial: 'the service ended while it was loaded',
  },
};

describe.each(Object.entries(cases))('a staircase, %s', (name, given) => {
  it.each([80, 120])('as text, %i columns', async (width) => {
    const text = findingText(staircaseFinding(given), { width, paint: plainPaint });
    for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(width);
    await expect(text).toMatchFileSnapshot(`staircase/${name}-${width}.txt`);
  });

  it('as a page', () => {
    const page = findingPage(staircaseFinding(given));
    expectHarmless(page, []);
    expect(page).toContain('Requests per second over users');
  });
});

it('says that p95 passes a target that the first step held, even right after that step', () => {
  const textOf = (p95Ms: number) =>
    staircaseFinding({ ...staircase, target: { p95Ms, users: 10 } }).because.join(' ');
  expect(textOf(46.6)).toContain('p95 passes 46.6 ms at about 10 users.');
  expect(textOf(46)).toContain('p95 is above 46.0 ms with 10 users already.');
});

it('shows what others named only as text', () => {
  fc.assert(
    fc.property(hostileName, hostileName, (scenario, partial) => {
      expectHarmless(findingPage(staircaseFinding({ ...staircase, scenario, partial })), []);
    }),
    { numRuns: 50 },
  );
});
