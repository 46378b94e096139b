import { assert, double, property } from 'fast-check';
import { describe, expect, it } from 'vitest';

import { greatestScore, standardScore, studentQuantile, studentTail } from './student-t.ts';

/** Of every property, so that a failure can be repeated. */
const fixed = { seed: 2026 };

describe("Student's t", () => {
  // Student's table as every textbook prints it.
  it.each([
    [0.975, 1, 12.706],
    [0.975, 4, 2.776],
    [0.975, 10, 2.228],
    [0.99, 5, 3.365],
    [0.999, 8, 4.501],
    [0.8, 3, 0.978],
    [0.975, 30, 2.042],
  ])('has its %f quantile with %i degrees of freedom at %f', (chance, df, t) => {
    expect(studentQuantile(chance, df)).toBeCloseTo(t, 3);
  });

  it('takes the p value of the sleep data, with the fractional degrees of freedom of Welch', () => {
    // R: t.test(extra ~ group, data = sleep): t = -1.8608, df = 17.776, p = 0.07939.
    expect(2 * studentTail(1.8608, 17.776)).toBeCloseTo(0.07939, 4);
  });

  it('becomes the normal distribution', () => {
    expect(studentQuantile(0.975, 1e6)).toBeCloseTo(1.959964, 4);
  });

  it('finds the quantile whose tail was asked for', () => {
    assert(
      property(
        double({ min: 0.5, max: 0.9999, noNaN: true }),
        double({ min: 1.5, max: 500, noNaN: true }),
        (chance, df) => {
          expect(studentTail(studentQuantile(chance, df), df)).toBeCloseTo(1 - chance, 8);
        },
      ),
      fixed,
    );
  });

  it('finds quantiles far out, also where the tail is heavy', () => {
    assert(
      property(
        double({ min: 1, max: 30, noNaN: true }),
        double({ min: 0.3, max: 50, noNaN: true }),
        (bits, df) => {
          const chance = 1 - 2 ** -bits;
          expect(studentTail(studentQuantile(chance, df), df) / (1 - chance)).toBeCloseTo(1, 8);
        },
      ),
      fixed,
    );
  });
});

describe('standardScore', () => {
  // R: qnorm(p, lower.tail = FALSE).
  it.each([
    [0.5, 0],
    [0.4, 0.2533471],
    [0.1, 1.2815516],
    [0.025, 1.959964],
    [0.01, 2.3263479],
    [0.001, 3.0902323],
    [1e-4, 3.7190165],
    [1e-6, 4.7534243],
    [1e-9, 5.997807],
    [0.975, -1.959964],
    [0.999999, -4.7534243],
  ])('of %f is %f', (p, score) => {
    expect(standardScore(p)).toBeCloseTo(score, 4);
  });

  it('distinguishes values near 0 as far as 1 - p can', () => {
    expect(standardScore(1e-12)).toBeCloseTo(7.0344838, 3);
    expect(standardScore(1e-15)).toBeCloseTo(7.9413453, 3);
    expect(standardScore(1e-16)).toBe(greatestScore);
    expect(standardScore(0)).toBe(greatestScore);
    expect(standardScore(1)).toBe(-greatestScore);
  });

  it('falls as p grows, and is mirrored at a half', () => {
    const chance = double({ min: 1e-12, max: 1, noNaN: true });
    assert(
      property(chance, chance, (one, other) => {
        const [low, high] = [Math.min(one, other), Math.max(one, other)];
        expect(standardScore(low)).toBeGreaterThanOrEqual(standardScore(high) - 1e-9);
        expect(standardScore(1 - one) + standardScore(1 - (1 - one))).toBeCloseTo(0, 9);
      }),
      fixed,
    );
  });

  it('has the tail that was asked for', () => {
    assert(
      property(double({ min: -7, max: 0, noNaN: true }), (exponent) => {
        const p = 10 ** exponent;
        expect(studentTail(standardScore(p), 1e9) / p).toBeCloseTo(1, 4);
      }),
      fixed,
    );
  });
});
