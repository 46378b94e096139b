import { describe, expect, it } from 'vitest';
import { smallestVisible, timesAsManyBlocks } from './power.ts';

describe('smallestVisible', () => {
  it('is (z of 0.975 + z of 0.8) standard errors with many degrees of freedom', () => {
    expect(smallestVisible({ variance: 4, df: 1e6 }, 0.025)).toBeCloseTo(2 * (1.95996 + 0.84162), 3);
  });

  it('grows with the number of comparisons and with doubt about the error', () => {
    const error = { variance: 1, df: 8 };
    expect(smallestVisible(error, 0.025 / 12)).toBeGreaterThan(smallestVisible(error, 0.025));
    expect(smallestVisible({ variance: 1, df: 4 }, 0.025)).toBeGreaterThan(smallestVisible(error, 0.025));
  });
});

describe('timesAsManyBlocks', () => {
  const error = { variance: 0.05, ofBlocks: 0.04, df: 1e6 };

  it('shrinks the part of the blocks alone', () => {
    const now = smallestVisible(error, 0.025);
    expect(timesAsManyBlocks(error, 0.025, now)).toBeCloseTo(1, 10);
    // A variance of 0.02 is left: 0.01 of the runs, 0.01 of four times the blocks.
    expect(timesAsManyBlocks(error, 0.025, now * Math.sqrt(0.02 / 0.05))).toBeCloseTo(4, 10);
  });

  it('has no answer where what runs differ by hides the difference', () => {
    const now = smallestVisible(error, 0.025);
    expect(timesAsManyBlocks(error, 0.025, now * Math.sqrt(0.009 / 0.05))).toBeUndefined();
    expect(timesAsManyBlocks(error, 0.025, 0)).toBeUndefined();
  });
});
