import { expect, it, vi } from 'vitest';
import { recordedConfig, recordedRun, slowedBy } from '../../../test/recorded/recorded-runs.ts';
import { recordedData } from '../data/recorded-trials.ts';
import { type Effect, withEffect } from '../effects.ts';
import { answersOnSeries, seriesRules } from './series.ts';

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

/** On a machine that was slower for half of the time. */
const slowerFor = (effect?: Effect) => {
  const slower = data.runs.map((one) => ({ ...one, run: slowedBy(1.5, one.run) }));
  const runs = [...data.runs, ...data.runs, ...slower, ...slower];
  const found = answersOnSeries(
    { data: { ...data, runs }, judging },
    { count: 12, ...(effect && { effect }) },
  );
  return Object.fromEntries(found.map((one) => [one.rule, one]));
};

it('counts what is found near the change as the change, however great it is', () => {
  const great = otava(1);
  expect(great.delays.length).toBe(12);
  expect(great.falseAlarms).toBe(0);
});

it('finds no change before it is made', () => {
  const { delays = [] } = slowerFor({ kind: 'cpu', size: 0.01 }).otava ?? expect.unreachable();
  expect(delays).not.toEqual([]);
  expect(Math.min(...delays)).toBeGreaterThan(0);
});

it('shows every rule only the runs that it has by then', () => {
  const seen = seriesRules.map((rule) => vi.spyOn(rule, 'figuresOf'));
  answersOnSeries({ data, judging }, { count: 1 });
  const upTo = Array.from({ length: 21 }, (_, more) => 20 + more);
  for (const { mock } of seen) expect(mock.calls.map(([runs]) => runs.length)).toEqual(upTo);
  vi.restoreAllMocks();
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

it('finds nothing where nothing changed', () => {
  expect(otava().falseAlarms).toBe(0);
});

it('takes a machine that became slower for a change only where its speed is not divided out', () => {
  const { otava: asMeasured, history } = slowerFor();
  expect(asMeasured?.falseAlarms).toBeGreaterThan(0);
  expect(history?.falseAlarms).toBe(0);
});
