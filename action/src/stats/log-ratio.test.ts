import { array, assert, double, property, tuple } from 'fast-check';
import { mean, quantile } from 'simple-statistics';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../test/simulation/random.ts';
import { logInterval, logRatios, pAbove, pairedLogRatios } from './log-ratio.ts';
import { type NoiseModel, noiseModel } from './noise-model.ts';

const model = noiseModel({ block: 0.1, boot: 0.05, host: 0.04 }, 'same-machine');
/** Almost no prior and no variance between boots, which leaves the textbook case. */
const textbook: NoiseModel = { block: { variance: 1, df: 1e-9 }, run: { variance: 0, df: 1 } };

// Student's sleep data (1908), as R's `sleep` has it.
const sleep = {
  base: [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2],
  head: [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4],
};

const log = double({ min: -3, max: 12, noNaN: true });
const side = array(array(log, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 5 });

function only<T>(ratios: readonly T[]): T {
  const [ratio] = ratios;
  if (ratio === undefined) throw new Error('no ratio');
  return ratio;
}

describe('logRatios', () => {
  it("is Welch's test where there is neither prior nor luck", () => {
    const ratio = only(logRatios([{ base: [sleep.base], head: [sleep.head] }], textbook));
    // R: t.test(extra ~ group, data = sleep).
    expect(ratio.estimate).toBeCloseTo(1.58, 10);
    expect(ratio.error.df).toBeCloseTo(17.776, 3);
    expect(2 * pAbove(ratio)).toBeCloseTo(0.07939, 5);
    const { low, high } = logInterval(ratio, 0.95);
    expect(low).toBeCloseTo(-0.2054832, 4);
    expect(high).toBeCloseTo(3.3654832, 4);
  });

  it('agrees with a block bootstrap where there are blocks enough to resample', () => {
    const random = createRandom(5);
    // Uniform blocks: nothing in the method may lean on the normal distribution of a block.
    const draw = (): number[] => Array.from({ length: 60 }, () => random());
    const [base, head] = [draw(), draw()];
    const resample = (blocks: readonly number[]): number =>
      mean(blocks.map(() => blocks[Math.floor(random() * blocks.length)] ?? 0));
    const replicates = Array.from({ length: 4000 }, () => resample(head) - resample(base));
    const { low, high } = logInterval(only(logRatios([{ base: [base], head: [head] }], textbook)), 0.95);
    expect(low).toBeCloseTo(quantile(replicates, 0.025), 1.7);
    expect(high).toBeCloseTo(quantile(replicates, 0.975), 1.7);
    expect((high - low) / (quantile(replicates, 0.975) - quantile(replicates, 0.025))).toBeCloseTo(1, 1);
  });

  it('is mirrored when the sides change places', () => {
    assert(
      property(side, side, (base, head) => {
        const one = only(logRatios([{ base, head }], model));
        const other = only(logRatios([{ base: head, head: base }], model));
        expect(one.estimate).toBeCloseTo(-other.estimate, 10);
        if (base.length < 3 || head.length < 3) {
          expect(one.error.variance).toBeCloseTo(other.error.variance, 10);
        }
      }),
    );
  });

  it('does not depend on the unit, nor on the order of blocks and runs', () => {
    assert(
      property(side, side, log, (base, head, unit) => {
        const one = only(logRatios([{ base, head }], model));
        const turned = only(
          logRatios(
            [
              {
                base: base.map((run) => run.map((value) => value + unit).reverse()).reverse(),
                head: head.map((run) => run.map((value) => value + unit)),
              },
            ],
            model,
          ),
        );
        expect(turned.estimate).toBeCloseTo(one.estimate, 8);
        expect(turned.error.variance).toBeCloseTo(one.error.variance, 8);
      }),
    );
  });

  it('is never surer than the prior allows, however well three blocks agree', () => {
    const same = [1, 1, 1];
    const { error } = only(logRatios([{ base: [same], head: [same] }], model));
    expect(Math.sqrt(error.variance)).toBeGreaterThan(Math.sqrt(2 * model.run.variance));
  });

  it('widens when the history shows that runs differ more than expected, and narrows with its length', () => {
    const errorOf = (levels: readonly number[]): number =>
      only(logRatios([{ base: levels.map((level) => [level, level, level]), head: [[0, 0, 0]] }], model))
        .error.variance;
    expect(errorOf([0, 0.4, -0.4])).toBeGreaterThan(2 * errorOf([0]));
    expect(errorOf([0, 0, 0, 0, 0, 0])).toBeLessThan(errorOf([0, 0, 0]));
  });

  it('lets the other cells tell that the machine was busy', () => {
    const calm = { base: [[0, 0.05, -0.05]], head: [[0, 0.05, -0.05]] };
    const busy = { base: [[0, 0.05, -0.05]], head: [[0, 0.6, -0.6]] };
    const [beside] = logRatios([calm, busy, busy, busy], model);
    const [alone] = logRatios([calm, calm, calm, calm], model);
    expect(beside?.error.variance).toBeGreaterThan(1.15 * (alone?.error.variance ?? 1));
  });
});

describe('pairedLogRatios', () => {
  it('is the paired t test where there is neither prior nor luck', () => {
    const pairs = sleep.base.map((value, index) => [value, sleep.head[index] ?? 0] as const);
    const ratio = only(pairedLogRatios([pairs], textbook));
    // R: t.test(sleep$extra[11:20], sleep$extra[1:10], paired = TRUE): t = 4.0621, df = 9, p = 0.002833.
    expect(ratio.error.df).toBeCloseTo(9, 6);
    expect(2 * pAbove(ratio)).toBeCloseTo(0.002833, 6);
    expect(logInterval(ratio, 0.95).low).toBeCloseTo(0.7001142, 5);
  });

  it('does not see a drift that both sides share', () => {
    assert(
      property(array(tuple(log, log), { minLength: 2, maxLength: 6 }), (drifts) => {
        const flat = only(pairedLogRatios([drifts.map(([, other]) => [0, other] as const)], model));
        const drifting = only(
          pairedLogRatios([drifts.map(([drift, other]) => [drift, other + drift] as const)], model),
        );
        expect(drifting.estimate).toBeCloseTo(flat.estimate, 8);
        expect(drifting.error.variance).toBeCloseTo(flat.error.variance, 8);
      }),
    );
  });
});
