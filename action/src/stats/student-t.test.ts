import { assert, double, property } from 'fast-check';
import { describe, expect, it } from 'vitest';

import { studentQuantile, studentTail } from './student-t.ts';

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
    );
  });
});
