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
  const steps = [{ users: 100, tps: { value: 1000 }, p95Ms: { value: 300 }, errorRate: 0 }];
  const texts = [carriedUsers(steps, demand), undefined].map((carried) =>
    findingText(carriedFinding(carried, demand), screen),
  );
  await expect(texts.join('\n')).toMatchFileSnapshot('capacity/carried.txt');
});
