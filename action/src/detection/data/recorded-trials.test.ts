import { mean } from 'simple-statistics';
import { describe, expect, it } from 'vitest';
import { recordedRun } from '../../../test/recorded/recorded-runs.ts';
import type { Run } from '../../model/run.ts';
import { createRandom } from '../../stats/index.ts';
import type { RecordedRun } from './recorded-run.ts';
import { planTrials, recordedData, recordedTrial } from './recorded-trials.ts';
import { resampledPair } from './resampled-pair.ts';

const names = ['01-unchanged', '02-unchanged', '07-unchanged', '12-unchanged'] as const;
const stored = names.map(
  (name): RecordedRun => ({
    regime: 'quiet',
    placement: 'stored',
    pair: '',
    change: '',
    run: recordedRun(name),
  }),
);

/** As many unchanged runs as asked for, an hour apart, and pairs next to the first of them. */
function recordedRuns(count: number, pairs = 0, more: (at: number) => Partial<Run> = () => ({})) {
  const [run] = stored.map((one) => one.run);
  if (run === undefined) throw new Error('nothing is recorded');
  const at = (hour: number, id: string): Run => ({
    ...run,
    id,
    startedAt: new Date(1e12 + 3.6e6 * hour).toISOString(),
    ...more(hour),
  });
  const one = (placement: RecordedRun['placement'], pair: string, hour: number, id: string): RecordedRun => ({
    regime: 'quiet',
    placement,
    pair,
    change: '',
    run: at(hour, id),
  });
  return recordedData([
    ...Array.from({ length: count }, (_, hour) => one('stored', '', hour, `run-${hour}`)),
    ...Array.from({ length: pairs }, (_, hour) => [
      one('base', `pair-${hour}`, hour, `base-${hour}`),
      one('head', `pair-${hour}`, hour, `head-${hour}`),
    ]).flat(),
  ]);
}

describe('planned trials', () => {
  const plans = (data: ReturnType<typeof recordedRuns>, repeats = 4) =>
    planTrials(data, 6, repeats, createRandom(1));

  it('compare every run that has three before it with up to twenty of them', () => {
    const found = plans(recordedRuns(24), 1);
    expect(found.map(({ head }) => head)).toEqual(Array.from({ length: 21 }, (_, at) => at + 3));
    for (const { head, history } of found) {
      const before = Array.from({ length: head }, (_, at) => at);
      expect(history).toEqual(before.slice(-20));
    }
  });

  it('leave out runs of other conditions', () => {
    const [machine] = stored.map(({ run }) => run.fingerprint);
    if (machine === undefined) throw new Error('nothing is recorded');
    const data = recordedRuns(9, 0, (hour) => ({
      fingerprint: { ...machine, cpuModel: hour % 2 === 0 ? 'one' : 'other' },
    }));
    expect(plans(data, 1).map(({ head, history }) => [head, history])).toEqual([
      [6, [0, 2, 4]],
      [7, [1, 3, 5]],
      [8, [0, 2, 4, 6]],
    ]);
  });

  it('halve the time, and take pairs of head’s half, none twice in a check', () => {
    const found = plans(recordedRuns(12, 6));
    const headsOf = (half: number) => [
      ...new Set(found.filter((plan) => plan.half === half).map(({ head }) => head)),
    ];
    expect(headsOf(0)).toEqual([3, 4, 5, 6]);
    expect(headsOf(1)).toEqual([7, 8, 9, 10, 11]);
    for (const { half, beside = -1, again } of found) {
      const own = half === 0 ? [0, 1, 2] : [3, 4, 5];
      expect(own).toContain(beside);
      expect(own.filter((pair) => pair !== beside)).toContain(again);
    }
    expect(new Set(found.map(({ beside }) => beside))).toEqual(new Set([0, 1, 2, 3, 4, 5]));
  });

  it('halve the time of each machine on its own, and take no pair of another', () => {
    const [machine] = stored.map(({ run }) => run.fingerprint);
    if (machine === undefined) throw new Error('nothing is recorded');
    const on = (hour: number) => ({ fingerprint: { ...machine, cpuModel: hour < 7 ? 'one' : 'other' } });
    const found = plans(recordedRuns(12, 7, on), 1);
    expect(found.map(({ head, half }) => [head, half])).toEqual([
      [3, 0],
      [4, 0],
      [5, 1],
      [6, 1],
      [10, 0],
      [11, 1],
    ]);
    expect(found.map(({ beside }) => beside !== undefined)).toEqual([true, true, true, true, false, false]);
  });

  it('have no pair to confirm with where only one is recorded', () => {
    const found = plans(recordedRuns(12, 2));
    expect(new Set(found.map(({ beside, again }) => `${beside} ${again}`))).toEqual(
      new Set(['0 undefined', '1 undefined']),
    );
  });

  it('touch every cell', () => {
    const found = plans(recordedRuns(9));
    expect(new Set(found.map(({ cell }) => cell))).toEqual(new Set([0, 1, 2, 3, 4, 5]));
    for (const head of [3, 8]) {
      const touched = found.filter((plan) => plan.head === head).map(({ cell }) => cell);
      expect(new Set(touched).size).toBe(4);
    }
  });

  it('touch cells of every load in every other head', () => {
    const found = plans(recordedRuns(24), 3);
    for (const parity of [0, 1]) {
      const touched = found.filter(({ head }) => head % 2 === parity).map(({ cell }) => cell % 2);
      expect(new Set(touched)).toEqual(new Set([0, 1]));
    }
  });
});

describe('a recorded trial', () => {
  const [plan] = planTrials(recordedData(stored), 6, 4, createRandom(1));
  if (plan === undefined) throw new Error('nothing is planned');
  const effect = { kind: 'waiting', size: 0.1 } as const;

  it('takes whole runs, in time order whatever the order of the rows', () => {
    const data = recordedData(stored.toReversed());
    expect(data.runs.map(({ run }) => run.id)).toEqual(stored.map(({ run }) => run.id));
    const trial = recordedTrial(data, plan);
    expect(trial.head).toEqual(data.runs[plan.head]?.run);
    expect(trial.history).toEqual(plan.history.map((at) => data.runs[at]?.run));
  });

  it('changes the head of every measurement in the planned cell, and base in none', () => {
    const data = recordedData(stored);
    const [plain, changed] = [recordedTrial(data, plan), recordedTrial(data, plan, { effect })];
    expect(changed.history).toEqual(plain.history);
    for (const [before, after] of [
      [plain.head, changed.head],
      [plain.beside.head, changed.beside.head],
      [plain.again.head, changed.again.head],
    ]) {
      const moved = (after?.cells ?? []).flatMap(({ blocks }, cell) =>
        blocks[0]?.tps === before?.cells[cell]?.blocks[0]?.tps ? [] : [cell],
      );
      expect(moved).toEqual([plan.cell]);
    }
    expect(changed.beside.base).toEqual(plain.beside.base);
    expect(changed.again.base).toEqual(plain.again.base);
  });

  it('takes recorded pairs of unchanged code where there are any, and none of changed code', () => {
    const pair = (name: string, change: string): RecordedRun[] => [
      {
        regime: 'quiet',
        placement: 'base',
        pair: name,
        change: '',
        run: { ...recordedRun('01-unchanged'), id: `${name}-base` },
      },
      {
        regime: 'quiet',
        placement: 'head',
        pair: name,
        change,
        run: { ...recordedRun('02-unchanged'), id: `${name}-head` },
      },
    ];
    const data = recordedData([...stored, ...pair('same', ''), ...pair('slower', 'lock')]);
    expect(data.runs.length).toBe(4);
    expect(data.pairs.length).toBe(1);
    const { beside, again } = recordedTrial(data, { ...plan, beside: 0 });
    expect([beside.base.id, beside.head.id, again.base.id]).toEqual(['same-base', 'same-head', 'again-base']);
  });
});

describe('a resampled pair', () => {
  const run = recordedRun('01-unchanged');
  const pairs = Array.from({ length: 200 }, (_, seed) => resampledPair(createRandom(seed), run, 'pair', 8));
  const logs = (sides: readonly (typeof run)[]) =>
    sides.flatMap(({ cells }) => (cells[0]?.blocks ?? []).map(({ tps }) => Math.log(tps)));

  it('has as many rounds as asked for, of steady blocks', () => {
    for (const { base, head } of pairs.slice(0, 5)) {
      for (const { cells } of [base, head]) {
        for (const { blocks } of cells)
          expect(blocks.map(({ round }) => round)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      }
    }
  });

  it('keeps the level of the run, and the spread that its blocks have without the mean being known', () => {
    const drawn = logs(pairs.flatMap(({ base, head }) => [base, head]));
    const source = (run.cells[0]?.blocks ?? []).slice(1).map(({ tps }) => Math.log(tps));
    const level = mean(source);
    const unbiased = source.reduce((sum, log) => sum + (log - level) ** 2, 0) / (source.length - 1);
    const spread = mean(drawn.map((log) => (log - level) ** 2));
    expect(mean(drawn)).toBeCloseTo(level, 2);
    expect(spread / unbiased).toBeGreaterThan(0.9);
    expect(spread / unbiased).toBeLessThan(1.1);
  });
});
