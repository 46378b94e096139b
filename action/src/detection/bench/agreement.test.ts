import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { detectionSchema } from '../../model/detection.ts';
import { disagreements } from './agreement.ts';

const kept = detectionSchema.parse(
  JSON.parse(readFileSync(new URL('../../../../perf/detection/results.json', import.meta.url), 'utf8')),
);
const [first, ...others] = kept.unchanged;
if (first === undefined) throw new Error('there are no results');
const withFirst = (red: typeof first.red) => ({ ...kept, unchanged: [{ ...first, red }, ...others] });

it('agrees with itself, and with rates whose intervals overlap', () => {
  expect(disagreements(kept, kept)).toEqual([]);
  expect(disagreements(withFirst({ rate: 1, low: first.red.high, high: 1 }), kept)).toEqual([]);
});

it('names rates that lie apart, and those that are not kept', () => {
  const apart = withFirst({ rate: 1, low: (1 + first.red.high) / 2, high: 1 });
  expect(disagreements(apart, kept)).toEqual([`${first.rule}, unchanged, ${first.regime}`]);
  expect(disagreements(kept, { ...kept, power: [] }).length).toBe(kept.power.length);
});
