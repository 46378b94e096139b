import { expect, it } from 'vitest';
import { recordedConfig, recordedRun, slowedBy } from '../../../test/recorded/recorded-runs.ts';
import { recordedData } from '../data/recorded-trials.ts';
import { withEffect } from '../effects.ts';
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
const judging = { config: recordedConfig };
const otava = (size?: number) => {
  const effect = size === undefined ? undefined : ({ kind: 'cpu', size } as const);
  const found = answersOnSeries({ data, judging }, { count: 12, ...(effect && { effect }) });
  return found.find(({ rule }) => rule === 'otava') ?? expect.unreachable();
};

it('counts what is found near the change as the change, however great it is', () => {
  const great = otava(1);
  expect(great.delays.length).toBe(12);
  expect(Math.max(...great.delays)).toBeLessThanOrEqual(20);
  expect(great.falseAlarms).toBe(0);
});

it('draws no series over a change of the machine', () => {
  const { runs } = data;
  const faster = runs.map(({ run, ...rest }) => ({
    ...rest,
    run: {
      ...withEffect(run, { kind: 'cpu', size: -0.5 }, [...run.cells.keys()]),
      fingerprint: { ...run.fingerprint, cpuModel: 'another' },
    },
  }));
  const both = { data: { ...data, runs: [...runs, ...faster] }, judging };
  expect(answersOnSeries(both, { count: 12 }).map(({ falseAlarms }) => falseAlarms)).toEqual(
    answersOnSeries({ data, judging }, { count: 12 }).map(({ falseAlarms }) => falseAlarms),
  );
});

it('finds nothing to be late for where nothing changed', () => {
  expect(otava().delays).toEqual([]);
});

it('takes a machine that became slower for a change only where its speed is not divided out', () => {
  const slower = data.runs.map((one) => ({ ...one, run: slowedBy(1.5, one.run) }));
  const runs = [...data.runs, ...data.runs, ...slower, ...slower];
  const found = answersOnSeries({ data: { ...data, runs }, judging }, { count: 12 });
  const { otava = 0, history } = Object.fromEntries(found.map((one) => [one.rule, one.falseAlarms]));
  expect(otava).toBeGreaterThan(0);
  expect(history).toBe(0);
});
