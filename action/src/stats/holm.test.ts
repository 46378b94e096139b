import { array, assert, double, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holmAdjust, simes } from './holm.ts';

const pValues = array(double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 12 });

describe('holmAdjust', () => {
  // R: p.adjust(p, "holm").
  it.each([
    [
      [0.01, 0.04, 0.03, 0.005],
      [0.03, 0.06, 0.06, 0.02],
    ],
    [
      [0.01, 0.02, 0.03, 0.04, 0.05],
      [0.05, 0.08, 0.09, 0.09, 0.09],
    ],
    [
      [0.5, 0.9],
      [1, 1],
    ],
  ])('adjusts %j to %j', (given, expected) => {
    for (const [index, p] of holmAdjust(given).entries()) {
      expect(p).toBeCloseTo(expected[index] ?? Number.NaN, 12);
    }
  });

  it('never lowers a p value, and keeps their order', () => {
    assert(
      property(pValues, (given) => {
        const adjusted = holmAdjust(given);
        for (const [index, p] of given.entries()) {
          expect(adjusted[index]).toBeGreaterThanOrEqual(p);
          for (const [other, q] of given.entries()) {
            if (p < q) {
              expect(adjusted[index]).toBeLessThanOrEqual(adjusted[other] ?? 0);
            }
          }
        }
      }),
    );
  });
});

describe('simes', () => {
  it('counts two that agree once, and one of two twice', () => {
    expect(simes([0.01, 0.01])).toBe(0.01);
    expect(simes([0.01, 1])).toBe(0.02);
    expect(simes([0.03, 0.04])).toBe(0.04);
  });

  it('lies between the smallest p value and its Bonferroni correction', () => {
    assert(
      property(pValues, (given) => {
        const least = Math.min(...given);
        expect(simes(given)).toBeGreaterThanOrEqual(least);
        expect(simes(given)).toBeLessThanOrEqual(Math.min(1, least * given.length));
      }),
    );
  });
});
