import { array, assert, double, property } from 'fast-check';
import { mean, quantile, sampleVariance } from 'simple-statistics';
import { describe, expect, it } from 'vitest';
import { drawNormal } from '../../test/simulation/simulated-run.ts';
import type { Calibration } from './calibration.ts';
import { errorOf, type LogRatio, logInterval, logRatios, poolRatios, scoreOf } from './log-ratio.ts';
import { createRandom } from './random.ts';
import { studentTail } from './student-t.ts';
import { pooledVariance, type VarianceEstimate } from './variance.ts';

/** Of every property, so that a failure can be repeated. */
const fixed = { seed: 2026 };

const nothing: VarianceEstimate = { variance: 0, df: 1 };
const block = { variance: 0.01, df: 12 };
const boot = { variance: 0.0009, df: 6 };
const run = { variance: 0.0025, df: 5 };

function calibrated(cells: number, parts: Partial<Calibration> = {}): Calibration {
  return { blocks: Array.from({ length: cells }, () => block), boot, run, ...parts };
}

// Student's sleep data (1908), as R's `sleep` has it.
const sleep = {
  first: [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2],
  second: [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4],
};

const log = double({ min: -3, max: 12, noNaN: true });
const levels = array(log, { minLength: 1, maxLength: 5 });
const side = array(levels, { minLength: 1, maxLength: 5 });

function only<T>(values: readonly T[]): T {
  const [value] = values;
  if (value === undefined || values.length > 1) throw new Error(`${values.length} values`);
  return value;
}

/** A ratio whose whole error is one part. */
function known(estimate: number, variance: number, df = 1e6): LogRatio {
  const blocks = { variance, df };
  return { estimate, error: { blocks, boots: nothing, runs: nothing }, scattered: blocks };
}

/** The levels of a simulated run, cell by cell, with the variances above. */
function drawRun(random: () => number, blocks: readonly number[]): readonly (readonly number[])[] {
  const draw = ({ variance }: VarianceEstimate) => Math.sqrt(variance) * drawNormal(random);
  const shared = draw(run);
  return blocks.map((count) => {
    const own = shared + draw(boot);
    return Array.from({ length: count }, () => own + draw(block));
  });
}

describe('errorOf, logInterval and scoreOf', () => {
  it("are Welch's test where two parts are the variances of two groups", () => {
    const of = (group: readonly number[]) => ({ variance: pooledVariance([group]).variance / 10, df: 9 });
    const ratio: LogRatio = {
      estimate: 1.58,
      error: { blocks: of(sleep.first), boots: of(sleep.second), runs: nothing },
      scattered: of(sleep.first),
    };
    // R: t.test(extra ~ group, data = sleep).
    expect(errorOf(ratio).df).toBeCloseTo(17.776, 3);
    const { low, high } = logInterval(ratio, 0.95);
    expect(low).toBeCloseTo(-0.2054832, 5);
    expect(high).toBeCloseTo(3.3654832, 5);
    // R: qnorm(1 - 0.07939 / 2).
    expect(scoreOf(ratio)).toBeCloseTo(1.7545, 3);
  });
});

describe('logRatios', () => {
  it('is the pooled t test where neither boots nor runs differ and head is calm', () => {
    const pooled = pooledVariance([sleep.second, sleep.first]);
    const ratio = only(
      logRatios([{ base: [sleep.second], head: sleep.first }], {
        blocks: [pooled],
        boot: nothing,
        run: nothing,
      }),
    );
    // R: t.test(extra ~ group, data = sleep, var.equal = TRUE): t = -1.8608, df = 18, p = 0.07919.
    const { variance, df } = errorOf(ratio);
    expect(ratio.estimate / Math.sqrt(variance)).toBeCloseTo(-1.8608, 4);
    expect(df).toBeCloseTo(18, 10);
    expect(2 * studentTail(-ratio.estimate / Math.sqrt(variance), df)).toBeCloseTo(0.07919, 5);
    const { low, high } = logInterval(ratio, 0.95);
    expect(low).toBeCloseTo(-3.363874, 5);
    expect(high).toBeCloseTo(0.203874, 5);
  });

  it('agrees with a block bootstrap where there are blocks enough to resample', () => {
    const random = createRandom(5);
    // Uniform blocks: nothing in the method may lean on the normal distribution of a block.
    const draw = (): number[] => Array.from({ length: 60 }, () => random());
    const [base, head] = [draw(), draw()];
    const resample = (blocks: readonly number[]): number =>
      mean(blocks.map(() => blocks[Math.floor(random() * blocks.length)] ?? 0));
    const replicates = Array.from({ length: 4000 }, () => resample(head) - resample(base));
    const ratio = only(
      logRatios([{ base: [base], head }], {
        blocks: [pooledVariance([base, head])],
        boot: nothing,
        run: nothing,
      }),
    );
    const { low, high } = logInterval(ratio, 0.95);
    const [from, to] = [quantile(replicates, 0.025), quantile(replicates, 0.975)];
    expect(low).toBeCloseTo(from, 1.7);
    expect(high).toBeCloseTo(to, 1.7);
    expect((high - low) / (to - from)).toBeCloseTo(1, 1);
  });

  it('weighs every run alike, however many blocks it has', () => {
    const ratio = only(
      logRatios(
        [
          {
            base: [
              [0, 0, 0, 0],
              [3, 3],
            ],
            head: [2, 2, 2],
          },
        ],
        calibrated(1),
      ),
    );
    expect(ratio.estimate).toBeCloseTo(0.5, 12);
    const { blocks, boots, runs } = ratio.error;
    // A quarter of what four and two blocks leave, and what three blocks of head leave.
    expect(blocks.variance).toBeCloseTo(0.01 * ((1 / 4 + 1 / 2) / 4 + 1 / 3), 12);
    expect(boots).toEqual({ variance: expect.closeTo(1.5 * boot.variance, 12), df: boot.df });
    expect(runs).toEqual({ variance: expect.closeTo(1.5 * run.variance, 12), df: run.df });
  });

  it('knows its error as it is, and so does the mean of the cells', () => {
    const random = createRandom(11);
    const shapes = [
      [3, 3, 3, 3, 3, 3],
      [4, 2, 4, 4, 3, 4],
      [3, 3, 2, 3, 3, 3],
      [5, 4, 3, 4, 4, 4],
    ] as const;
    const ratiosOf = (draw: (shape: readonly number[]) => readonly (readonly number[])[]) => {
      const [one, two, three, head] = shapes.map(draw);
      return logRatios(
        (head ?? []).map((values, cell) => ({
          base: [one?.[cell] ?? [], two?.[cell] ?? [], three?.[cell] ?? []],
          head: values,
        })),
        calibrated(6),
      );
    };
    const draws = Array.from({ length: 3000 }, () => ratiosOf((shape) => drawRun(random, shape)));
    const calm = ratiosOf((shape) => shape.map((count) => Array.from({ length: count }, () => 0)));
    for (const cell of [0, 1, 5]) {
      const seen = sampleVariance(draws.map((ratios) => ratios[cell]?.estimate ?? 0));
      const said = calm[cell];
      if (said === undefined) throw new Error('no ratio');
      expect(seen / errorOf(said).variance).toBeCloseTo(1, 1);
    }
    const seen = sampleVariance(draws.map((ratios) => poolRatios(ratios).estimate));
    expect(seen / errorOf(poolRatios(calm)).variance).toBeCloseTo(1, 1);
  });

  it('is mirrored when a single run of base and head change places', () => {
    assert(
      property(levels, levels, (one, other) => {
        const there = only(logRatios([{ base: [one], head: other }], calibrated(1)));
        const back = only(logRatios([{ base: [other], head: one }], calibrated(1)));
        expect(there.estimate).toBeCloseTo(-back.estimate, 10);
        if (one.length === 1 && other.length === 1) {
          expect(errorOf(there)).toEqual(errorOf(back));
        }
      }),
      fixed,
    );
  });

  it('does not depend on the unit, nor on the order of blocks and runs', () => {
    assert(
      property(side, levels, log, (base, head, unit) => {
        const one = only(logRatios([{ base, head }], calibrated(1)));
        const turned = only(
          logRatios(
            [
              {
                base: base.map((values) => values.map((value) => value + unit).reverse()).reverse(),
                head: head.map((value) => value + unit).reverse(),
              },
            ],
            calibrated(1),
          ),
        );
        expect(turned.estimate).toBeCloseTo(one.estimate, 8);
        expect(errorOf(turned).variance).toBeCloseTo(errorOf(one).variance, 8);
      }),
      fixed,
    );
  });

  it('is never surer than calibration allows, however well the blocks agree', () => {
    const calm = only(logRatios([{ base: [[1, 1, 1]], head: [1, 1, 1] }], calibrated(1)));
    expect(calm.error.blocks.variance).toBeCloseTo((block.variance * 2) / 3, 12);
    assert(
      property(side, levels, (base, head) => {
        const { blocks, boots, runs } = only(logRatios([{ base, head }], calibrated(1))).error;
        expect(blocks.variance).toBeGreaterThanOrEqual(block.variance / head.length);
        expect(boots.variance + runs.variance).toBeGreaterThan(boot.variance + run.variance);
      }),
      fixed,
    );
  });

  it('takes a noisy head for what it is, in proportion to what its blocks can tell', () => {
    // A variance of 0.02 on 1 degree of freedom, twice the calibrated one, which counts as 5.
    const ratio = only(logRatios([{ base: [[0]], head: [0, 0.2] }], calibrated(1)));
    expect(ratio.error.blocks.variance).toBeCloseTo(block.variance * (1 + (7 / 6) * (1 / 2)), 12);
  });

  it('lets the other cells tell that the machine was busy', () => {
    const calm = { base: [[0, 0.1, -0.1]], head: [0, 0.1, -0.1] };
    const busy = { base: [[0, 0.1, -0.1]], head: [0, 0.6, -0.6] };
    const [beside] = logRatios([calm, busy, busy, busy], calibrated(4));
    const [alone] = logRatios([calm, calm, calm, calm], calibrated(4));
    // Calm heads are at 1: (2 + 3 * 2 * 36 + 5) / (8 + 5) = 17.15 times the block variance.
    expect(alone?.error.blocks.variance).toBeCloseTo((0.01 * 2) / 3, 12);
    expect(beside?.error.blocks.variance).toBeCloseTo((0.01 * (1 + 223 / 13)) / 3, 12);
    expect(beside?.error.runs).toEqual(alone?.error.runs);
  });
});

describe('scoreOf', () => {
  // A t value and the normal quantile of the same chance, from the tables.
  it.each([
    [2.228, 10, 1.95996],
    [2.776, 4, 1.95996],
    [3.365, 5, 2.32635],
    [4.501, 8, 3.09023],
    [-4.501, 8, -3.09023],
    [0, 3, 0],
  ])('makes t = %f with %i degrees of freedom a score of %f', (t, df, score) => {
    expect(scoreOf(known(t * 0.2, 0.04, df))).toBeCloseTo(score, 3);
  });

  it('has the p value of the t test', () => {
    assert(
      property(
        double({ min: -6, max: 6, noNaN: true }),
        double({ min: 2, max: 200, noNaN: true }),
        (t, df) => {
          const score = scoreOf(known(t, 1, df));
          expect(studentTail(score, 1e9) / studentTail(t, df)).toBeCloseTo(1, 3);
          expect(scoreOf(known(-t, 1, df))).toBeCloseTo(-score, 4);
          expect(Math.abs(score)).toBeLessThanOrEqual(Math.abs(t) + 1e-3);
        },
      ),
      fixed,
    );
  });
});
