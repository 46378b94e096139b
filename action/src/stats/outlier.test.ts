import { expect, it } from 'vitest';
import { outlyingBy } from './outlier.ts';

const prior = { variance: 0.01, df: 4 };

it("is Iglewicz and Hoaglin's rule where there is no prior", () => {
  // Median 4, MAD 1: the bound is 3.5 * 1.4826 = 5.19 from the median.
  const values = [2, 3, 4, 4, 4, 5, 6, 9.1, 9.3];
  const far = outlyingBy(values, { variance: 0, df: 1e-9 });
  expect(far.map((by) => by !== 0)).toEqual([...Array(8).fill(false), true]);
  expect(far[8]).toBeCloseTo(5.3, 12);
});

it('does not take values that agree by chance for the measure of all', () => {
  expect(outlyingBy([1, 1, 1.3], prior)).toEqual([0, 0, 0]);
  expect(outlyingBy([1, 1, 1.4], prior)).toEqual([0, 0, expect.closeTo(0.4, 12)]);
});

it('does not take two values that differ by chance for the measure of the third', () => {
  // MAD 0.15, which alone would allow 0.78.
  expect(outlyingBy([1, 1.15, 1.9], prior)).toEqual([0, 0, expect.closeTo(0.75, 12)]);
});

it('bears values that differ as all of them do', () => {
  expect(outlyingBy([1, 2, 1.5, 2.5, 1.8, 2.9, 1.2], prior)).toEqual(Array(7).fill(0));
});

it('finds nothing in nothing', () => {
  expect(outlyingBy([], prior)).toEqual([]);
});
