import { describe, expect, it } from 'vitest';
import { smallestVisible } from './power.ts';

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
