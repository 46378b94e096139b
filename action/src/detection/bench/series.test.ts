import { expect, it } from 'vitest';
import { recordedRun } from '../../../test/recorded/recorded-runs.ts';
import { recordedData } from '../data/recorded-trials.ts';
import { answersOnSeries } from './series.ts';

const names = ['01-unchanged', '02-unchanged'] as const;
const data = recordedData(
  names.map((name) => ({
    regime: 'quiet',
    placement: 'stored',
    pair: '',
    change: '',
    run: recordedRun(name),
  })),
);
const otava = (size?: number) => {
  const effect = size === undefined ? undefined : ({ kind: 'cpu', size } as const);
  const found = answersOnSeries({ data }, { count: 12, ...(effect && { effect }) });
  return found.find(({ rule }) => rule === 'otava') ?? expect.unreachable();
};

it('counts what is found near the change as the change, however great it is', () => {
  const great = otava(1);
  expect(great.delays.length).toBe(12);
  expect(Math.max(...great.delays)).toBeLessThanOrEqual(20);
  expect(great.falseAlarms).toBe(0);
});

it('finds nothing to be late for where nothing changed', () => {
  expect(otava().delays).toEqual([]);
});
