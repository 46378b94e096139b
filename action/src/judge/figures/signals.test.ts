import { describe, expect, it } from 'vitest';
import { drawNormal, simulatedBlock } from '../../../test/simulation/simulated-run.ts';
import type { SignalConfig } from '../../model/config.ts';
import type { Block } from '../../model/run.ts';
import type { SignalChange } from '../../model/verdict.ts';
import { createRandom } from '../../stats/random.ts';
import { compareSignals } from './signals.ts';

const signal: SignalConfig = {
  title: 'SQL statements per request',
  from: 'service',
  series: ['statements'],
  per: 'request',
  scale: 1,
  unit: '',
  gate: 'report',
  floor: 0,
  hint: 'Look for a query in a loop.',
};

/** A value for each round; undefined where the block has none. */
type Rounds = readonly (number | undefined)[];

function blocks(values: Rounds): readonly Block[] {
  return values.map((value, round) => ({
    ...simulatedBlock(round, 100, 50),
    signals: value === undefined ? {} : { statements: value },
  }));
}

function compare(base: readonly Rounds[], head: Rounds, more: Partial<SignalConfig> = {}): SignalChange[] {
  return compareSignals(base.map(blocks), blocks(head), { statements: { ...signal, ...more } });
}

describe('compareSignals', () => {
  it('compares the medians over the rounds', () => {
    expect(compare([[4, 5, 90]], [6, 7, 7])).toMatchObject([
      { base: 5, head: 7, change: 0.4, limit: 0.5, moved: true, failed: false },
    ]);
  });

  it('compares equal rounds only, since the first one costs more', () => {
    expect(compare([[1.75, 1.45, 1.45, 1.45]], [1.75])).toMatchObject([
      { base: 1.75, head: 1.75, moved: false },
    ]);
    expect(compare([[1.75]], [1.7, 1.45, 1.45])).toMatchObject([{ base: 1.75, head: 1.7, moved: false }]);
  });

  it('has not moved if only the first round did, in which caches fill', () => {
    expect(compare([[1.165, 1.148]], [1.217, 1.146], { gate: 'fail', floor: 0.02 })).toMatchObject([
      { moved: false, failed: false },
    ]);
  });

  it('takes the median over several base runs in each round', () => {
    const runs = [
      [2, 1],
      [9, 1],
      [2, 9],
    ];
    expect(compare(runs, [2, 1])).toMatchObject([{ base: 1.5, head: 1.5 }]);
  });

  it.each(['report', 'fail'] as const)('takes a loss for worse where less is worse, with gate %s', (gate) => {
    const more = { worse: 'lower', gate, tolerance: 0.1 } as const;
    const failed = gate === 'fail';
    expect(compare([[4, 5, 5]], [3, 4, 4], more)).toMatchObject([
      { change: -0.2, limit: 0.5, worse: 'lower', moved: true, failed },
    ]);
    expect(compare([[4, 5, 5]], [8, 9, 9], more)).toMatchObject([{ moved: false, failed: false }]);
  });

  it('leaves a block without a value out of its round', () => {
    expect(compare([[2, 1, 1, 1]], [2, undefined, 1, 1])).toMatchObject([{ base: 1, head: 1 }]);
    expect(compare([[2, 1, undefined, 1]], [2, 1, 5, 1])).toMatchObject([{ base: 1, head: 1 }]);
  });

  it.each([
    ['within the tolerance', [10], [10.9], {}],
    ['within the floor', [1], [1.4], { floor: 0.5 }],
    ['for the better', [10], [5], {}],
  ])('does not count a change %s', (_, base, head, more) => {
    expect(compare([base], head, more)).toMatchObject([{ moved: false }]);
  });

  it('has no relative change from nothing', () => {
    expect(compare([[0]], [1])).toMatchObject([{ change: null, moved: true }]);
  });

  it('has nothing to say if one side has no value, or no round is common', () => {
    expect(compare([[undefined]], [1])).toEqual([]);
    expect(compare([[1, undefined]], [undefined, 1])).toEqual([]);
    expect(compare([], [1])).toEqual([]);
  });
});

describe('a signal with gate fail', () => {
  const failed = (base: readonly Rounds[], head: Rounds, more: Partial<SignalConfig> = {}) =>
    compare(base, head, { gate: 'fail', ...more })[0]?.failed;
  const run = [1.75, 1.45, 1.45, 1.45];

  it('fails by growth beyond 2%, unless another tolerance is written', () => {
    expect(failed([run], [1.8, 1.48, 1.48, 1.48])).toBe(true);
    expect(failed([run], [1.8, 1.478, 1.478, 1.478])).toBe(false);
    expect(failed([run], [1.8, 1.48, 1.48, 1.48], { tolerance: 0.1 })).toBe(false);
    expect(failed([run], [1.8, 1.456, 1.456, 1.456], { tolerance: 0 })).toBe(true);
    expect(failed([run], [1.8, 1.48, 1.48, 1.48], { floor: 0.05 })).toBe(false);
  });

  it.each(['report', 'suspect'] as const)('differs from %s, which never fails on its own', (gate) => {
    expect(compare([run], [3, 3, 3, 3], { gate })).toMatchObject([{ moved: true, failed: false }]);
  });

  it('fails by growth from nothing beyond the floor', () => {
    expect(failed([[0, 0, 0]], [0.1, 0.1, 0.1], { floor: 0.05 })).toBe(true);
    expect(failed([[0, 0, 0]], [0.01, 0.01, 0.01], { floor: 0.05 })).toBe(false);
  });

  it('needs two common rounds', () => {
    expect(failed([run], [5])).toBe(false);
    expect(failed([[1, undefined, 1]], [undefined, 5, 5])).toBe(false);
    expect(failed([[1, 1]], [5, 5])).toBe(true);
  });

  it('does not fail by a first round with a colder cache, nor by one odd round', () => {
    expect(failed([[1.62, 1.45]], [1.75, 1.45])).toBe(false);
    expect(failed([[1, 1, 1, 1]], [1, 1, 9, 9])).toBe(false);
  });

  it('fails although the growth is hidden in the first round', () => {
    expect(failed([run], [1.62, 1.5, 1.5, 1.5])).toBe(true);
  });

  it('does not take what varies from round to round for growth', () => {
    expect(failed([[5, 4.8, 5.2, 5]], [5.3, 5.2, 5.5, 5.3])).toBe(false);
    expect(failed([[5, 4.8, 5.2, 5]], [9, 9, 8.8, 9.2])).toBe(true);
  });

  it('is not excused by its own variation', () => {
    expect(failed([[1, 1, 1, 1]], [1, 2, 20, 200])).toBe(true);
  });

  it('is not moved by one odd run of several', () => {
    const stored = [run, run.map((value) => 3 * value), run, run];
    expect(failed(stored, [3, 3, 3, 3])).toBe(true);
    expect(failed(stored, run)).toBe(false);
  });

  it('accepts what the newest run has as well', () => {
    const accepted = run.map((value) => 2 * value);
    expect(failed([run, run, run, accepted], accepted)).toBe(false);
    expect(failed([run, run, run, accepted], [9, 9, 9, 9])).toBe(true);
  });
});

it.each([
  [0.005, 4, 1, 0],
  [0.01, 3, 1, 0.01],
  [0.02, 4, 3, 0.005],
])(
  'a cost that varies by %f in %i rounds, against %i runs, fails at most %f of unchanged cells',
  (sd, rounds, runs, most) => {
    const random = createRandom(18);
    const draw = () => Array.from({ length: rounds }, () => 1 + sd * drawNormal(random));
    const cells = Array.from({ length: 2000 }, () =>
      compare(Array.from({ length: runs }, draw), draw(), { gate: 'fail' }),
    );
    const failed = cells.filter(([change]) => change?.failed === true).length;
    expect(failed / cells.length).toBeLessThanOrEqual(most);
  },
);
