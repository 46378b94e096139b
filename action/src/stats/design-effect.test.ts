import { describe, expect, it } from 'vitest';
import { contrastShares, designEffects, runVariance } from './design-effect.ts';
import { newcombe, pShareAbove } from './proportion.ts';

const blocks = (...events: readonly number[]) => events.map((one) => ({ events: one, trials: 1000 }));

describe('designEffects', () => {
  const even = blocks(10, 10);
  /** Pearson: twice (10 - 20)^2 / 19.6 on 1 degree of freedom, 10.2. */
  const uneven = blocks(10, 30);
  const none = blocks(0, 0);

  it('never fall below what requests of one batch have', () => {
    expect(designEffects([[even], [none]]).map(({ variance }) => variance)).toEqual([2.5, 2.5]);
  });

  it('are the spread of the blocks, drawn towards that of all cells', () => {
    const pearson = 200 / 19.6;
    const all = (4 * 2.5 + pearson) / 5;
    const [effect] = designEffects([[uneven]]);
    expect(effect?.variance).toBeCloseTo((pearson + 4 * all) / 5, 10);
    expect(effect?.df).toBe(5);
    const [quiet] = designEffects([[none], [uneven], [uneven], [uneven]]);
    expect(quiet?.variance).toBeGreaterThan(5);
  });

  it('leave out how runs differ', () => {
    const [effect] = designEffects([[blocks(10, 10), blocks(200, 200)]]);
    expect(effect?.variance).toBe(2.5);
  });
});

describe('runVariance', () => {
  const calm = { variance: 2.5, df: 4 };

  it('is the prior below three runs, and where nothing or everything failed', () => {
    for (const runs of [
      [blocks(10)],
      [blocks(10), blocks(90)],
      [blocks(0), blocks(0), blocks(0)],
      [blocks(1000), blocks(1000), blocks(1000)],
    ]) {
      expect(runVariance(runs, calm)).toEqual({ variance: 0.3 ** 2, df: 4 });
    }
  });

  it('is drawn towards what three runs and more show', () => {
    const level = (factor: number) => [{ events: 20_000 * factor, trials: 1_000_000 }];
    const alike = runVariance([level(1), level(1), level(1)], calm);
    expect(alike.variance).toBeCloseTo((4 * 0.09) / 6, 4);
    expect(alike.df).toBe(6);
    // Shares of 1, 2 and 3%: sd 1 point, half the mean.
    const apart = runVariance([level(0.5), level(1), level(1.5)], calm);
    expect(apart.variance).toBeCloseTo((4 * 0.09 + 2 * 0.25) / 6, 1);
    expect(apart.variance).toBeGreaterThan(1.4 * 0.09);
  });
});

describe('contrastShares', () => {
  const quiet = { base: [blocks(0, 0, 0, 0)], head: [blocks(0, 0, 0, 0)] };
  const leak = { base: [blocks(0, 0, 0, 0)], head: [blocks(0, 0, 100, 200)] };

  it("tests with base's scatter and reports with head's own", () => {
    const [contrast] = contrastShares([leak]);
    if (contrast === undefined) throw new Error('no contrast');
    const { unchanged, own } = contrast;
    expect(pShareAbove(unchanged.base, unchanged.head, unchanged.df)).toBeLessThan(0.01);
    expect(own.head.trials).toBeLessThan(unchanged.head.trials / 4);
    const width = (head: typeof own.head) => {
      const { low, high } = newcombe(own.base, head, 2);
      return high - low;
    };
    expect(width(own.head)).toBeGreaterThan(1.5 * width(unchanged.head));
  });

  it('does not let one cell of head hide what another one would show', () => {
    const [, beside] = contrastShares([leak, quiet]);
    const [alone] = contrastShares([quiet]);
    expect(beside?.unchanged).toEqual(alone?.unchanged);
  });

  it('knows no more of a rate than its runs do, however many requests they have', () => {
    const large = [[{ events: 20_000_000, trials: 1_000_000_000 }]];
    const [contrast] = contrastShares([{ base: large, head: large }]);
    // 1 / (0.09 * 0.02 * 0.98)
    expect(contrast?.unchanged.head.trials).toBeCloseTo(567, -1);
  });

  it('takes a side without requests for one with a single one', () => {
    const [contrast] = contrastShares([{ base: [[]], head: [blocks(0)] }]);
    expect(contrast?.noise.base).toEqual({ block: 2.5, run: 0 });
    expect(contrast?.unchanged.df).toBeGreaterThan(0);
  });
});
