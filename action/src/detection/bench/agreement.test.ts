import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type Detection, detectionSchema } from '../../model/detection.ts';
import { wilson } from '../../stats/index.ts';
import { disagreements } from './agreement.ts';

const kept = detectionSchema.parse(
  JSON.parse(readFileSync(new URL('../../../../perf/detection/results.json', import.meta.url), 'utf8')),
);

type Rows = 'unchanged' | 'simulated';

/** The results with something else in the first row. */
function withFirst(rows: Rows, more: Partial<Detection['unchanged'][number]>): Detection {
  const [first, ...others] = kept[rows];
  return { ...kept, [rows]: [{ ...first, ...more }, ...others] };
}

/** The results with so many red ones of so many simulated checks in the first row. */
function withDrawn(events: number, checks: number): Detection {
  const red = { rate: events / checks, ...wilson({ events, trials: checks }, 1.96) };
  return withFirst('simulated', { checks, red });
}

function firstOf(rows: Rows): Detection[Rows][number] {
  return kept[rows][0] ?? expect.unreachable('there are no results');
}

it('agrees with itself, and with simulated rates that lie apart as some of hundreds do by chance', () => {
  expect(disagreements(kept, kept)).toEqual([]);
  expect(disagreements(withDrawn(4, 1_000), withDrawn(7, 10_000))).toEqual([]);
});

it('names simulated rates that lie further apart', () => {
  expect(disagreements(withDrawn(10, 500), withDrawn(7, 10_000))).toEqual([
    expect.stringContaining(`${firstOf('simulated').rule}, unchanged, simulated `),
  ]);
});

it('names rates of recorded runs that differ at all', () => {
  const { rule, red } = firstOf('unchanged');
  const found = withFirst('unchanged', { red: { ...red, rate: red.rate + 0.01 } });
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
