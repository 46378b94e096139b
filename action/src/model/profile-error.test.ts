import { expect, it } from 'vitest';
import { errorOfGrowth } from './profile-error.ts';

const of = (share: number, samples: number) => ({ share, samples });

it('is that of drawing samples where they are few, and that of two boots where they are many', () => {
  expect(errorOfGrowth(of(0.5, 10), of(0.5, 10))).toBeCloseTo(Math.sqrt(0.25 * 0.2), 2);
  expect(errorOfGrowth(of(0.5, 1e9), of(0.5, 1e9))).toBeCloseTo(0.08 * 0.25 * Math.SQRT2, 6);
});

it('is 0 where all samples are alike, and never less', () => {
  expect(errorOfGrowth(of(0, 100), of(0, 100))).toBe(0);
  expect(errorOfGrowth(of(1, 100), of(1 + 1e-12, 100))).toBe(0);
});
