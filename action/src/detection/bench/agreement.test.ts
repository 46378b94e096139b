import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type Detection, detectionSchema } from '../../model/detection.ts';
import { disagreements } from './agreement.ts';

const kept = detectionSchema.parse(
  JSON.parse(readFileSync(new URL('../../../../perf/detection/results.json', import.meta.url), 'utf8')),
);

type Rows = 'unchanged' | 'simulated';

/** The results with another rate in the first row. */
function withFirst(rows: Rows, red: Detection['unchanged'][number]['red']): Detection {
  const [first, ...others] = kept[rows];
  return { ...kept, [rows]: [{ ...first, red }, ...others] };
}

function firstOf(rows: Rows): Detection[Rows][number] {
  return kept[rows][0] ?? expect.unreachable('there are no results');
}

it('agrees with itself, and with simulated rates whose intervals overlap', () => {
  expect(disagreements(kept, kept)).toEqual([]);
  const { high } = firstOf('simulated').red;
  expect(disagreements(withFirst('simulated', { rate: 1, low: high, high: 1 }), kept)).toEqual([]);
});

it('names simulated rates that lie apart', () => {
  const { rule, red } = firstOf('simulated');
  const apart = withFirst('simulated', { rate: 1, low: (1 + red.high) / 2, high: 1 });
  expect(disagreements(apart, kept)).toEqual([expect.stringContaining(`${rule}, unchanged, simulated `)]);
});

it('names rates of recorded runs that differ at all', () => {
  const { rule, red } = firstOf('unchanged');
  const found = withFirst('unchanged', { ...red, rate: red.rate + 0.01 });
  expect(disagreements(found, kept)).toEqual([`${rule}, unchanged, all`]);
});

it('compares each record of a change that was recorded twice', () => {
  const [first, ...others] = kept.changes;
  if (first === undefined) throw new Error('there are no results');
  const twice = (answer: string) => ({ ...kept, changes: [{ ...first, answer }, first, ...others] });
  expect(disagreements(twice('a'), twice('a'))).toEqual([]);
  expect(disagreements(twice('a'), twice('b'))).toEqual([`${first.rule}, ${first.change}`]);
});

it('names what only one of both has', () => {
  expect(disagreements(kept, { ...kept, power: [] }).length).toBe(kept.power.length);
  expect(disagreements({ ...kept, power: [] }, kept).length).toBe(kept.power.length);
});
