import { mean } from 'simple-statistics';
import { describe, expect, it } from 'vitest';
import { recordedRun } from '../../../test/recorded/recorded-runs.ts';
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

describe('planned trials', () => {
  it.each([
    [4, 3],
    [6, 10],
    [24, 4],
  ])('of %i runs halve them in %i ways, and make each run a head as often as any other', (count, ways) => {
    const plans = planTrials(count, 6, 4, createRandom(1));
    expect(new Set(plans.map(({ split }) => split)).size).toBe(ways);
    for (let run = 0; run < count; run++) {
      expect(plans.filter(({ head }) => head === run).length).toBe(ways);
    }
  });

  it('compare head with runs of the other half only, in the order of time', () => {
    for (const plan of planTrials(24, 6, 4, createRandom(1))) {
      expect(plan.history.length).toBe(10);
      expect(plan.history).toEqual(plan.history.toSorted((a, b) => a - b));
      const ownHalf = planTrials(24, 6, 4, createRandom(1))
        .filter(({ split, half }) => split === plan.split && half === plan.half)
        .map(({ head }) => head);
      expect(ownHalf.filter((run) => plan.history.includes(run))).toEqual([]);
    }
  });

  it('touch every cell', () => {
    const plans = planTrials(6, 6, 4, createRandom(1));
    expect(new Set(plans.map(({ cell }) => cell))).toEqual(new Set([0, 1, 2, 3, 4, 5]));
    for (const head of [0, 5]) {
      const touched = plans.filter((plan) => plan.head === head).map(({ cell }) => cell);
      expect(new Set(touched).size).toBe(6);
    }
  });
});

describe('a recorded trial', () => {
  const [plan] = planTrials(4, 6, 4, createRandom(1));
  if (plan === undefined) throw new Error('nothing is planned');
  const effect = { kind: 'waiting', size: 0.1 } as const;

  it('takes whole runs, in time order whatever the order of the rows', () => {
    const data = recordedData(stored.toReversed());
    expect(data.runs.map(({ run }) => run.id)).toEqual(stored.map(({ run }) => run.id));
    const trial = recordedTrial(data, plan);
    expect(trial.head).toBe(data.runs[plan.head]?.run);
    expect(trial.history).toEqual(plan.history.map((at) => data.runs[at]?.run));
  });

  it('changes the head of every measurement in the planned cell, and base in none', () => {
    const data = recordedData(stored);
    const [plain, changed] = [recordedTrial(data, plan), recordedTrial(data, plan, effect)];
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
    const { beside, again } = recordedTrial(data, plan);
    // The same pair must not confirm itself.
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
