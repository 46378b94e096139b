import { array, assert, double, property, tuple } from 'fast-check';
import { mean, sampleVariance } from 'simple-statistics';
import { describe, expect, it } from 'vitest';
import { drawNormal } from '../../test/simulation/simulated-run.ts';
import type { Calibration } from './calibration.ts';
import { errorOf, type Pair, pairedLogRatios } from './log-ratio.ts';
import { createRandom } from './random.ts';
import type { VarianceEstimate } from './variance.ts';

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
const pair = tuple(log, log);

function only<T>(values: readonly T[]): T {
  const [value] = values;
  if (value === undefined || values.length > 1) throw new Error(`${values.length} values`);
  return value;
}

describe('pairedLogRatios', () => {
  const sleepers = sleep.first.map((value, index): Pair => [value, sleep.second[index] ?? 0]);

  it("has the paired t test's standard error where nothing was known before", () => {
    const ratio = only(
      pairedLogRatios([sleepers], { blocks: [{ variance: 1, df: 1e-9 }], boot: nothing, run: nothing }),
    );
    // R: t.test(sleep$extra[11:20], sleep$extra[1:10], paired = TRUE): t = 4.0621.
    expect(ratio.estimate / Math.sqrt(errorOf(ratio).variance)).toBeCloseTo(4.0621, 4);
  });

  it('has the calibrated error where pairs say what calibration said', () => {
    // Differences of 0.1 and 0.3: a variance of 0.02, that of two blocks.
    const pairs: readonly Pair[] = [
      [0, 0.1],
      [1, 1.3],
    ];
    const { estimate, error } = only(pairedLogRatios([pairs], calibrated(1)));
    expect(estimate).toBeCloseTo(0.2, 12);
    expect(error.blocks.variance).toBeCloseTo(0.02 / 2, 12);
    expect(error.boots).toEqual({ variance: 2 * boot.variance, df: boot.df });
    expect(error.runs).toEqual({ variance: 2 * run.variance, df: run.df });
  });

  it('knows its error as it is, and credits pairs whose noise is shared', () => {
    const random = createRandom(12);
    // Two thirds of a block's variance are the moment's, which both of a pair have.
    const [ofMoment, own] = [Math.sqrt(0.01 * (2 / 3)), Math.sqrt(0.01 / 3)];
    const draws = Array.from({ length: 2000 }, () => {
      const cells = Array.from({ length: 3 }, () => {
        const level = Math.sqrt(2 * boot.variance) * drawNormal(random);
        return Array.from({ length: 6 }, (): Pair => {
          const moment = ofMoment * drawNormal(random);
          return [moment + own * drawNormal(random), moment + level + own * drawNormal(random)];
        });
      });
      const [first] = pairedLogRatios(cells, calibrated(3, { run: nothing }));
      if (first === undefined) throw new Error('no ratio');
      return first;
    });
    const seen = sampleVariance(draws.map(({ estimate }) => estimate));
    const said = mean(draws.map((ratio) => errorOf(ratio).variance));
    const uncredited = (2 * block.variance) / 6 + 2 * boot.variance;
    expect(said).toBeGreaterThan(0.95 * seen);
    expect(said).toBeLessThan((seen + uncredited) / 2);
  });

  it('does not see a drift that both sides share', () => {
    assert(
      property(array(pair, { minLength: 2, maxLength: 6 }), (drifts) => {
        const flat = only(pairedLogRatios([drifts.map(([, other]) => [0, other] as const)], calibrated(1)));
        const drifting = only(
          pairedLogRatios([drifts.map(([drift, other]) => [drift, other + drift] as const)], calibrated(1)),
        );
        expect(drifting.estimate).toBeCloseTo(flat.estimate, 8);
        expect(errorOf(drifting).variance).toBeCloseTo(errorOf(flat).variance, 8);
      }),
      fixed,
    );
  });

  it('is mirrored when the sides change places', () => {
    assert(
      property(
        array(array(pair, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 }),
        (cells) => {
          const there = pairedLogRatios(cells, calibrated(cells.length));
          const back = pairedLogRatios(
            cells.map((pairs) => pairs.map(([base, head]) => [head, base] as const)),
            calibrated(cells.length),
          );
          for (const [cell, ratio] of there.entries()) {
            expect(ratio.estimate).toBeCloseTo(-(back[cell]?.estimate ?? Number.NaN), 10);
            expect(ratio.error.blocks.variance).toBeCloseTo(back[cell]?.error.blocks.variance ?? -1, 10);
          }
        },
      ),
      fixed,
    );
  });
});
