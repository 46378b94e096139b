import { expect, it } from 'vitest';
import { expectedNoise } from './noise-model.ts';

const expected = { block: 0.1, boot: 0.03, run: 0.04 };

it('expects the variances that the standard deviations say, and believes them little', () => {
  expect(expectedNoise(expected, 'same-machine', 0.06)).toEqual({
    block: { variance: expect.closeTo(0.01, 12), df: 4 },
    boot: { variance: expect.closeTo(0.0009, 12), df: 4 },
    run: { variance: expect.closeTo(0.0016, 12), df: 4 },
  });
});

it('lets runs on other machines differ by what hosts add', () => {
  const { block, boot, run } = expectedNoise(expected, 'other-machine', 0.06);
  expect(run.variance).toBeCloseTo(0.04 ** 2 + 0.06 ** 2, 12);
  expect({ block, boot }).toEqual({
    block: { variance: expect.closeTo(0.01, 12), df: 4 },
    boot: { variance: expect.closeTo(0.0009, 12), df: 4 },
  });
});
