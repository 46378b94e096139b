import { describe, expect, it } from 'vitest';
import { drawNormal } from '../../test/simulation/simulated-run.ts';
import { createRandom } from './random.ts';
import { slopeOf } from './slope.ts';

describe('the slope of batch means', () => {
  it('is that of a line, and has no interval to speak of without noise', () => {
    const slope = slopeOf(
      [0, 1, 2, 3, 4, 5].map((at) => ({ at, value: 10 + 3 * at })),
      0.95,
    );
    expect(slope?.level).toBeCloseTo(17.5);
    expect(slope?.growth.value).toBeCloseTo(3);
    expect((slope?.growth.high ?? 9) - (slope?.growth.low ?? 0)).toBeCloseTo(0);
    expect(
      slopeOf(
        [0, 1, 2].map((at) => ({ at, value: at })),
        0.95,
      ),
    ).toBeUndefined();
    expect(
      slopeOf(
        [1, 1, 1, 1, 1, 1].map((at) => ({ at, value: at })),
        0.95,
      ),
    ).toBeUndefined();
  });

  // Anscombe's first data set, F. J. Anscombe, Graphs in Statistical Analysis, The American Statistician 27(1), 1973.
  it('agrees with a published regression', () => {
    const at = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5];
    const values = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68];
    const slope = slopeOf(
      at.map((x, index) => ({ at: x, value: values[index] ?? 0 })),
      0.95,
    );
    expect(slope?.growth.value).toBeCloseTo(0.5001, 4);
    // Standard error 0.1179, 9 degrees of freedom; neighbours that depend on each other only widen it.
    expect(slope?.growth.low).toBeLessThan(0.5001 - 2.262 * 0.1178);
  });

  it('covers 0 as often as it says for flat series whose seconds depend on each other', () => {
    const random = createRandom(3);
    for (const memory of [0, 0.7, 0.95]) {
      let alarms = 0;
      for (let run = 0; run < 500; run++) {
        let state = drawNormal(random);
        const points = Array.from({ length: 10 }, (_, minute) => {
          let sum = 0;
          for (let second = 0; second < 60; second++) {
            state = memory * state + Math.sqrt(1 - memory ** 2) * drawNormal(random);
            sum += state;
          }
          return { at: minute, value: sum / 60 };
        });
        const slope = slopeOf(points, 0.95);
        if (slope !== undefined && (slope.growth.low > 0 || slope.growth.high < 0)) alarms += 1;
      }
      expect(alarms / 500, `memory ${memory}`).toBeLessThan(0.08);
    }
  });
});
