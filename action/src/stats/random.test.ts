import { mean, sampleVariance } from 'simple-statistics';
import { describe, expect, it } from 'vitest';
import { createRandom } from './random.ts';

function draw(seed: number, count: number): number[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => random());
}

describe('createRandom', () => {
  it('repeats itself for the same seed only', () => {
    expect(draw(42, 5)).toEqual(draw(42, 5));
    expect(draw(42, 5)).not.toEqual(draw(43, 5));
  });

  it('is uniform on [0, 1) and does not remember its last number', () => {
    const numbers = draw(1, 20_000);
    expect(mean(numbers)).toBeCloseTo(0.5, 1.8);
    expect(sampleVariance(numbers)).toBeCloseTo(1 / 12, 2);
    const products = numbers.slice(1).map((value, index) => (value - 0.5) * ((numbers[index] ?? 0) - 0.5));
    expect(Math.abs(mean(products))).toBeLessThan(0.002);
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...numbers)).toBeLessThan(1);
  });
});
