import { expect, it } from 'vitest';
import { capacityOf, carriedUsers } from '../../src/limits/capacity/index.ts';
import type { Demand } from '../../src/model/capacity.ts';
import { capacityFinding, carriedFinding } from '../../src/report/content/capacity.ts';
import { plainPaint } from '../../src/report/format/paint.ts';
import { findingText } from '../../src/report/render/finding.ts';

const demand: Demand = {
  dailyUsers: 25_000,
  requestsPerUser: 18.5,
  requestsPerPass: 18.5,
  passSeconds: 1000,
  peakFactor: 4,
  targetSeconds: 0.5,
  databaseCores: 8,
};
const screen = { width: 100, paint: plainPaint };

it('shows every formula with its figures', async () => {
  const text = findingText(capacityFinding(capacityOf(demand)), screen);
  await expect(text).toMatchFileSnapshot('capacity/loads.txt');
});

const step = (users: number, tps: number, p95Ms: number) => ({
  users,
  tps: { value: tps, low: 0.95 * tps, high: 1.05 * tps },
  p95Ms: { value: p95Ms },
  errorRate: 0,
});

it('says how many users a day a machine carries', async () => {
  const steps = [step(50, 800, 100), step(100, 1000, 300), step(200, 1050, 700)];
  const texts = [steps, steps.slice(2)].map((some) =>
    findingText(carriedFinding(carriedUsers(some, demand), demand), screen),
  );
  await expect(texts.join('\n')).toMatchFileSnapshot('capacity/carried.txt');
});

it('leaves an interval without a bound open, and out of the band', () => {
  const once = { ...step(100, 1000, 300), tps: { value: 1000, low: 0, high: Number.POSITIVE_INFINITY } };
  const steps = [step(50, 800, 100), once, step(200, 900, 400)];
  const finding = carriedFinding(carriedUsers(steps, demand), demand);
  expect(finding.sentence).toContain('carries 1,167,567 [?] users a day');
  expect(finding.tables[0]?.rows[1]?.cells.at(-1)).toBe('1,167,567 [?]');
  expect(finding.charts[0]?.band?.map(({ x }) => x)).toEqual([0, 2]);
});

it('does not call fast steps slow whose requests failed', () => {
  const failing = { ...step(100, 1000, 30), errorRate: 0.5 };
  const { sentence } = carriedFinding(carriedUsers([failing], demand), demand);
  expect(sentence).toContain(
    'no step of the staircase had both a p95 within 500 ms and requests that succeed',
  );
});
