import { expect, it } from 'vitest';
import { isNextTenth } from './detection-bench.ts';

it.each([
  [277, [28, 56, 84, 111, 139, 167, 194, 222, 250, 277]],
  [20, [2, 4, 6, 8, 10, 12, 14, 16, 18, 20]],
  [3, [1, 2, 3]],
])('of %i jobs, these complete another tenth: %j', (all, tenths) => {
  const jobs = Array.from({ length: all }, (_, index) => index + 1);
  expect(jobs.filter((finished) => isNextTenth(finished, all))).toEqual(tenths);
});
