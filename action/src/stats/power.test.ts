import { describe, expect, it } from 'vitest';
import { drawNormal } from '../../test/simulation/simulated-run.ts';
import { scoreOf } from './log-ratio.ts';
import { caughtPower, reach, smallestCaught } from './power.ts';
import { createRandom, type Random } from './random.ts';
import type { VarianceEstimate } from './variance.ts';

const draws = 3000;

interface Look {
  /** Estimate less truth. */
  readonly off: number;
  /** What the measurement knows of its own error. */
  readonly error: VarianceEstimate;
}

/** A measurement whose true standard error is 0.05, estimated with `df` degrees of freedom. */
function drawLook(random: Random, df: number): Look {
  let squares = 0;
  for (let one = 0; one < df; one++) squares += drawNormal(random) ** 2;
  return { off: 0.05 * drawNormal(random), error: { variance: (0.05 ** 2 * squares) / df, df } };
}

/** How often a true difference of the size that each measurement states for itself is found. */
function rate(df: number, found: (look: Look) => boolean): number {
  const random = createRandom(41);
  const looks = Array.from({ length: draws }, () => drawLook(random, df));
  return looks.filter(found).length / draws;
}

function score(estimate: number, error: VarianceEstimate): number {
  const none = { variance: 0, df: 1 };
  return scoreOf({ estimate, error: { blocks: error, boots: none, runs: none }, scattered: error });
}

describe('smallestCaught', () => {
  it('is the score and the normal quantile of 0.95 in standard errors with many degrees of freedom', () => {
    expect(smallestCaught({ variance: 4, df: 1e7 }, 2.6)).toBeCloseTo(2 * (2.6 + 1.644854), 3);
  });

  it("takes the score's p value from Student's t with few", () => {
    // Tables: t of 0.975 and of 0.95 with 4 degrees of freedom.
    expect(smallestCaught({ variance: 1, df: 4 }, 1.959964)).toBeCloseTo(2.776 + 2.132, 3);
  });

  it.each([
    [3, 2.6],
    [8, 2.6],
    [8, 3.6],
    [30, 3.6],
  ])('is caught in 95%% of measurements with %i degrees of freedom and a score of %f', (df, threshold) => {
    const caught = rate(df, ({ off, error }) => {
      const difference = smallestCaught(error, threshold);
      return score(difference + off, error) > threshold;
    });
    expect(caught).toBeGreaterThan(caughtPower - 0.01);
    expect(caught).toBeLessThan(caughtPower + 0.01);
  });

  it('is much larger than what is caught in half of the measurements', () => {
    const caught = rate(
      8,
      ({ off, error }) => score(smallestCaught(error, 2.6) - reach(error) + off, error) > 2.6,
    );
    expect(caught).toBeGreaterThan(0.47);
    expect(caught).toBeLessThan(0.53);
  });

  it('grows with the score and with doubt about the error, and is in its unit', () => {
    const error = { variance: 1, df: 8 };
    expect(smallestCaught(error, 3.6)).toBeGreaterThan(smallestCaught(error, 2.6));
    expect(smallestCaught({ variance: 1, df: 4 }, 2.6)).toBeGreaterThan(smallestCaught(error, 2.6));
    expect(smallestCaught({ variance: 9, df: 8 }, 2.6)).toBeCloseTo(3 * smallestCaught(error, 2.6), 10);
  });
});

describe('reach', () => {
  it('is 1.645 standard errors with many degrees of freedom, and more with few', () => {
    expect(reach({ variance: 4, df: 1e7 })).toBeCloseTo(2 * 1.644854, 3);
    // Tables: t of 0.95.
    expect(reach({ variance: 4, df: 5 })).toBeCloseTo(2 * 2.015, 3);
  });

  it('puts the estimate beyond a threshold in 95% of measurements', () => {
    const beyond = rate(5, ({ off, error }) => 0.1 + reach(error) + off > 0.1);
    expect(beyond).toBeGreaterThan(0.94);
    expect(beyond).toBeLessThan(0.96);
  });
});
