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

it('says how many users a day a machine carries', async () => {
  const step = (users: number, tps: number, p95Ms: number) => ({
    users,
    tps: { value: tps, low: 0.95 * tps, high: 1.05 * tps },
    p95Ms: { value: p95Ms },
    errorRate: 0,
  });
  const steps = [step(50, 800, 100), step(100, 1000, 300), step(200, 1050, 700)];
  const texts = [steps, steps.slice(2)].map((some) =>
    findingText(carriedFinding(carriedUsers(some, demand), demand), screen),
  );
  await expect(texts.join('\n')).toMatchFileSnapshot('capacity/carried.txt');
});
