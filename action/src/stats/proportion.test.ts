import { assert, integer, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Count, effective, newcombe, pShareAbove, smallestVisibleGrowth, wilson } from './proportion.ts';
import { createRandom } from './random.ts';
import { studentQuantile } from './student-t.ts';

/** Of every property, so that a failure can be repeated. */
const fixed = { seed: 2026 };

/** So many degrees of freedom that Student's t is the normal distribution that the literature has. */
const certain = 1e6;
const z = studentQuantile(0.975, certain);
const count = record({ trials: integer({ min: 0, max: 5000 }), events: integer({ min: 0, max: 5000 }) }).map(
  ({ trials, events }) => ({ trials, events: Math.min(trials, events) }),
);

describe('wilson', () => {
  // Newcombe (1998), "Two-sided confidence intervals for the single proportion", table I, method 3.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('%i of %i: %f to %f', (events, trials, low, high) => {
    const interval = wilson({ events, trials }, z);
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });
});

describe('newcombe', () => {
  // Newcombe (1998), "Interval estimation for the difference between independent proportions", table II, method 10.
  it.each([
    [56, 70, 48, 80, 0.0524, 0.3339],
    [9, 10, 3, 10, 0.1705, 0.809],
    [6, 7, 2, 7, 0.0582, 0.8062],
    [5, 56, 0, 29, -0.0381, 0.1926],
    [0, 10, 0, 20, -0.1611, 0.2775],
    [0, 10, 0, 10, -0.2775, 0.2775],
    [10, 10, 0, 20, 0.6791, 1],
    [10, 10, 0, 10, 0.6075, 1],
  ])('%i of %i less %i of %i: %f to %f', (events, trials, baseEvents, baseTrials, low, high) => {
    const interval = newcombe({ events: baseEvents, trials: baseTrials }, { events, trials }, z);
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  it('is mirrored when the sides change places', () => {
    assert(
      property(count, count, (base, head) => {
        const [one, other] = [newcombe(base, head, z), newcombe(head, base, z)];
        expect(one.low).toBeCloseTo(-other.high, 12);
      }),
      fixed,
    );
  });
});

describe('pShareAbove', () => {
  it('is significant just where the interval leaves 0 out', () => {
    assert(
      property(count, count, (base, head) => {
        const p = pShareAbove(base, head, certain);
        expect(p).toBeGreaterThanOrEqual(0);
        expect(p).toBeLessThanOrEqual(1);
        const { low } = newcombe(base, head, z);
        if (Math.abs(low) > 1e-6) {
          expect(p < 0.025).toBe(low > 0);
        }
      }),
      fixed,
    );
  });
});

describe('effective', () => {
  const head = { events: 500, trials: 10_000 };

  it('widens the interval by the root of the design effect', () => {
    const { low, high } = wilson(effective(head, { block: 4 / 10_000, run: 0 }), z);
    const alone = wilson(head, z);
    expect((high - low) / (alone.high - alone.low)).toBeCloseTo(2, 2);
  });

  it('has the variance of blocks and runs together', () => {
    const run = 0.3 ** 2;
    const { events, trials } = effective(head, { block: 2.5 / 10_000, run });
    expect(events / trials).toBeCloseTo(0.05, 12);
    const ofBlocks = (0.05 * 0.95 * 2.5) / 10_000;
    expect((0.05 * 0.95) / trials).toBeCloseTo(ofBlocks + run * (0.05 * 0.95) ** 2, 6);
  });
});

describe('smallestVisibleGrowth', () => {
  const many = { block: 1 / 10_000, run: 0 };

  it("is what Fleiss' sample size is made for", () => {
    // (1.95996 sqrt(2 * 0.625 * 0.375) + 1.64485 sqrt(0.25 + 0.1875))^2 / 0.25^2 = 94.47 a side for 50% against 75%.
    const side = { block: 1 / 94.47, run: 0 };
    expect(smallestVisibleGrowth(0.5, { base: side, head: side, df: certain }, 0.025)).toBeCloseTo(0.25, 3);
  });

  it('is seen in 95% of the checks', () => {
    const random = createRandom(3);
    const trials = 2000;
    const side = { block: 1 / trials, run: 0 };
    const growth = smallestVisibleGrowth(0.1, { base: side, head: side, df: certain }, 0.025);
    const draw = (share: number): Count => {
      let events = 0;
      for (let trial = 0; trial < trials; trial++) events += Number(random() < share);
      return { events, trials };
    };
    const checks = Array.from({ length: 2000 }, () => pShareAbove(draw(0.1), draw(0.1 + growth), certain));
    const seen = checks.filter((p) => p < 0.025).length / checks.length;
    expect(seen).toBeGreaterThan(0.935);
    expect(seen).toBeLessThan(0.965);
  });

  it('leaves room for the estimate to be beyond a limit', () => {
    const visible = smallestVisibleGrowth(0.5, { base: many, head: many, df: certain }, 0.025, 0.1);
    // 1.64485 standard errors of 50% and 61% beyond it.
    expect(visible).toBeCloseTo(0.1 + 1.64485 * Math.sqrt((0.5 * 0.5 + 0.61 * 0.39) / 10_000), 4);
  });

  it('is everything with one request, and little with many', () => {
    const one = { block: 1, run: 0 };
    expect(smallestVisibleGrowth(0, { base: one, head: one, df: 8 }, 0.025)).toBe(1);
    expect(smallestVisibleGrowth(0, { base: many, head: many, df: 8 }, 0.025)).toBeLessThan(0.003);
  });

  it('is bounded by how runs differ, however many requests there are', () => {
    const run = { block: 1e-12, run: 0.3 ** 2 };
    const visible = smallestVisibleGrowth(0.02, { base: run, head: run, df: certain }, 0.025);
    // With equal errors 95% want log(p / q) to be (1.96 + 1.645) * 0.3 * sqrt(2) = 1.53: a rate 4.6 times as high.
    expect(visible).toBeGreaterThan(0.04);
    expect(visible).toBeLessThan(0.09);
  });
});
