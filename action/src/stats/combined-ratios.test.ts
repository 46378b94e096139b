import { assert, double, property, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { combineRatios, errorOf, type LogRatio, poolRatios } from './log-ratio.ts';
import type { VarianceEstimate } from './variance.ts';

/** Of every property, so that a failure can be repeated. */
const fixed = { seed: 2026 };

const nothing: VarianceEstimate = { variance: 0, df: 1 };

const estimated = tuple(
  double({ min: 1e-6, max: 1, noNaN: true }),
  double({ min: 1, max: 100, noNaN: true }),
).map(([variance, df]) => ({ variance, df }));
const anyRatio = tuple(double({ min: -1, max: 1, noNaN: true }), estimated, estimated, estimated).map(
  ([estimate, blocks, boots, runs]): LogRatio => ({
    estimate,
    error: { blocks, boots, runs },
    scattered: blocks,
  }),
);

/** A ratio whose whole error is one part. */
function known(estimate: number, variance: number, df = 1e6): LogRatio {
  const blocks = { variance, df };
  return { estimate, error: { blocks, boots: nothing, runs: nothing }, scattered: blocks };
}

describe('poolRatios', () => {
  const parts = {
    blocks: { variance: 0.03, df: 10 },
    boots: { variance: 0.006, df: 6 },
    runs: { variance: 0.002, df: 5 },
  };

  it('averages away what is of blocks and boots, and nothing of what all cells share', () => {
    const pooled = poolRatios(
      [0.1, 0.2, 0.6].map((estimate) => ({ estimate, error: parts, scattered: parts.blocks })),
    );
    expect(pooled.estimate).toBeCloseTo(0.3, 12);
    expect(pooled.error.blocks.variance).toBeCloseTo(0.01, 12);
    expect(pooled.error.boots).toEqual({ variance: expect.closeTo(0.002, 12), df: 6 });
    expect(pooled.error.runs).toEqual({ variance: expect.closeTo(0.002, 12), df: 5 });
  });

  it('is the ratio itself for a single cell', () => {
    assert(
      property(anyRatio, (ratio) => {
        const pooled = poolRatios([ratio]);
        expect(pooled.estimate).toBeCloseTo(ratio.estimate, 12);
        expect(errorOf(pooled).variance).toBeCloseTo(errorOf(ratio).variance, 12);
        expect(errorOf(pooled).df / errorOf(ratio).df).toBeCloseTo(1, 9);
      }),
      fixed,
    );
  });
});

describe('combineRatios', () => {
  it('weighs by inverse variances', () => {
    const { estimate, error } = combineRatios(known(0, 1), {
      estimate: 2.5,
      error: {
        blocks: { variance: 2, df: 9 },
        boots: { variance: 1.5, df: 6 },
        runs: { variance: 0.5, df: 5 },
      },
      scattered: { variance: 2, df: 9 },
    });
    // Weights of 0.8 and 0.2.
    expect(estimate).toBeCloseTo(0.5, 12);
    expect(error.blocks.variance).toBeCloseTo(0.64 + 0.04 * 2, 12);
    expect(error.boots.variance).toBeCloseTo(0.04 * 1.5, 12);
    expect(error.boots.df).toBeCloseTo(6, 10);
    expect(error.runs.variance).toBeCloseTo(0.04 * 0.5, 12);
    expect(errorOf({ error }).variance).toBeCloseTo(0.8, 12);
  });

  it('is as sure as both together, in whichever order, where they agree', () => {
    assert(
      property(anyRatio, anyRatio, double({ min: -2, max: 2, noNaN: true }), (one, { error }, apart) => {
        const [here, there] = [errorOf(one).variance, errorOf({ error }).variance];
        const other = { ...one, estimate: one.estimate + apart * Math.sqrt(here + there), error };
        const both = combineRatios(one, other);
        const ofBoth = errorOf(both);
        expect(ofBoth.variance * (1 / here + 1 / there)).toBeCloseTo(1, 9);
        expect(both.estimate).toBeGreaterThanOrEqual(Math.min(one.estimate, other.estimate) - 1e-12);
        expect(both.estimate).toBeLessThanOrEqual(Math.max(one.estimate, other.estimate) + 1e-12);
        const turned = combineRatios(other, one);
        expect(turned.estimate).toBeCloseTo(both.estimate, 12);
        expect(errorOf(turned).df / ofBoth.df).toBeCloseTo(1, 9);
      }),
      fixed,
    );
  });

  it('is the second measurement alone where it contradicts the first', () => {
    const second = known(0, 0.04);
    // Together they err by a variance of 0.25, a standard error of 0.5.
    for (const sign of [1, -1]) {
      expect(combineRatios(known(sign * 2.59 * 0.5, 0.21), second).estimate).not.toBe(0);
      expect(combineRatios(known(sign * 2.61 * 0.5, 0.21), second)).toBe(second);
    }
    // With 4 degrees of freedom each, a t value of 2.61 is no contradiction.
    expect(combineRatios(known(2.61 * 0.5, 0.125, 4), known(0, 0.125, 4)).estimate).toBeCloseTo(0.6525, 12);
  });

  it('halves the variance of two measurements that are equally sure', () => {
    const both = combineRatios(known(0.1, 0.04, 10), known(0.3, 0.04, 10));
    expect(both.estimate).toBeCloseTo(0.2, 12);
    expect(both.error.blocks.variance).toBeCloseTo(0.02, 12);
    expect(both.error.blocks.df).toBeCloseTo(20, 10);
  });
});
