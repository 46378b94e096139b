import { describe, expect, it } from 'vitest';
import { addVariances, moderate, pooledVariance, poolVariances } from './variance.ts';

describe('pooledVariance', () => {
  it('leaves out what lies between groups', () => {
    expect(
      pooledVariance([
        [1, 2, 3],
        [11, 12, 13],
      ]),
    ).toEqual({ variance: 1, df: 4 });
  });

  it('learns nothing from single values', () => {
    expect(pooledVariance([[1], [2]])).toEqual({ variance: 0, df: 0 });
  });
});

describe('poolVariances', () => {
  it('comes to what all groups together show', () => {
    const groups = [[1, 2, 4], [5, 9], [7], [3, 3, 3, 8]];
    const { variance, df } = poolVariances(groups.map((group) => pooledVariance([group])));
    expect(df).toBe(6);
    expect(variance).toBeCloseTo(pooledVariance(groups).variance, 12);
  });

  it('learns nothing from no estimate', () => {
    expect(poolVariances([])).toEqual({ variance: 0, df: 0 });
  });
});

describe('moderate', () => {
  it("is Smyth's posterior variance", () => {
    const { variance, df } = moderate({ variance: 0.0064, df: 4 }, { variance: 0.0016, df: 4 });
    expect(variance).toBeCloseTo(0.004, 12);
    expect(df).toBe(8);
  });

  it('is the prior without data, and the data when there is much of it', () => {
    const prior = { variance: 0.01, df: 4 };
    expect(moderate({ variance: 0, df: 0 }, prior)).toEqual(prior);
    expect(moderate({ variance: 0.04, df: 4000 }, prior).variance).toBeCloseTo(0.04, 4);
  });
});

describe('addVariances', () => {
  it("has Welch's degrees of freedom for the sleep data", () => {
    // R: t.test(extra ~ group, data = sleep): variances 3.200556 and 4.009, ten values each, df = 17.776.
    const { variance, df } = addVariances([
      { variance: 3.200556 / 10, df: 9 },
      { variance: 4.009 / 10, df: 9 },
    ]);
    expect(Math.sqrt(variance)).toBeCloseTo(0.8491, 4);
    expect(df).toBeCloseTo(17.776, 3);
  });
});
