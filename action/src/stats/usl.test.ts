import { describe, expect, it } from 'vitest';
import { drawNormal } from '../../test/simulation/simulated-run.ts';
import { throughputAt } from '../model/scalability-law.ts';
import { createRandom } from './random.ts';
import { fitScalabilityLaw, kneeOf, peakOf, rangesOf, type Scaling } from './usl.ts';

const stairs = [10, 25, 50, 100, 200, 400, 800];

/** A step's throughput in three blocks, each off by about that share. */
function measured(law: Parameters<typeof throughputAt>[0], noise: number, seed: number): Scaling[][] {
  const random = createRandom(seed);
  return stairs.map((users) =>
    [0, 1, 2].map(() => ({
      users,
      throughput: throughputAt(law, users) * Math.exp(noise * drawNormal(random)),
    })),
  );
}

describe('the Universal Scalability Law', () => {
  const law = { single: 20, contention: 0.02, coherence: 0.00005 };

  it('is found exactly where throughput follows it', () => {
    const points = stairs.map((users) => ({ users, throughput: throughputAt(law, users) }));
    const found = fitScalabilityLaw(points);
    expect(found?.single).toBeCloseTo(20, 6);
    expect(found?.contention).toBeCloseTo(0.02, 8);
    expect(found?.coherence).toBeCloseTo(0.00005, 10);
    const proportional = stairs.map((users) => ({ users, throughput: 3 * users }));
    const line = fitScalabilityLaw(proportional);
    expect(line).toMatchObject({ contention: 0, coherence: 0 });
    expect(line?.single).toBeCloseTo(3, 9);
  });

  it('is found within a tenth despite a scatter of 5%, and its ranges cover it', () => {
    const truth = { peak: peakOf(law, 2000).throughput, knee: kneeOf(law, 2000) };
    const seeds = Array.from({ length: 100 }, (_, seed) => seed);
    const tries = seeds.map((seed) => {
      const steps = measured(law, 0.05, seed);
      const found = fitScalabilityLaw(steps.flat());
      if (found === undefined) throw new Error('not determined');
      const peak = peakOf(found, 2000).throughput;
      return {
        errors: [found.single / law.single - 1, found.contention / law.contention - 1, peak / truth.peak - 1],
        ranges: rangesOf(steps, (one) => ({ peak: peakOf(one, 2000).throughput })),
      };
    });
    const mean = (at: number) =>
      tries.reduce((sum, { errors }) => sum + Math.abs(errors[at] ?? 1), 0) / tries.length;
    expect([mean(0), mean(1), mean(2)].every((error) => error < 0.1)).toBe(true);
    const covered = tries.filter(
      ({ ranges: { peak } }) => peak && peak.low <= truth.peak && peak.high >= truth.peak,
    );
    expect(covered.length).toBeGreaterThanOrEqual(0.85 * tries.length);
  });

  it('has ranges as wide as the scatter of two blocks lets expect, and none of a single block', () => {
    // Two blocks are each off their mean by 0.1, as blocks that scatter by 0.1·√2 are on average.
    const step = (users: number) =>
      [-1, 1].map((sign) => ({ users, throughput: 10 * users * Math.exp(0.1 * sign) }));
    const steps = [1, 2, 4].map(step);
    const drawn: number[] = [];
    const { single } = rangesOf(steps, (one) => {
      drawn.push(one.single);
      return { single: one.single };
    });
    expect(Math.max(...drawn) / 10).toBeGreaterThan(Math.exp(0.1 * Math.SQRT2) - 1e-9);
    expect(single?.high).toBeGreaterThan(single?.low ?? Number.POSITIVE_INFINITY);
    expect(rangesOf([...steps, step(8).slice(1)], ({ single: value }) => ({ value }))).toEqual({});
  });

  it('has a contention of 1 at most, where more users only take throughput away', () => {
    const points = [1, 2, 4, 8, 16].map((users) => ({
      users,
      throughput: throughputAt({ single: 100, contention: 1.5, coherence: 0 }, users),
    }));
    expect(fitScalabilityLaw(points)?.contention).toBe(1);
    const even = fitScalabilityLaw([1, 2, 4, 8].map((users) => ({ users, throughput: 100 })));
    expect(even?.single).toBeCloseTo(100, 6);
    expect(even?.contention).toBeCloseTo(1, 6);
  });

  it('has no retrograde part without coherence, so its peak is at the last users', () => {
    expect(peakOf({ single: 10, contention: 0.1, coherence: 0 }, 400).users).toBe(400);
    expect(peakOf({ single: 10, contention: 0, coherence: 0.0001 }, 400).users).toBe(100);
    expect(peakOf({ single: 10, contention: 1, coherence: 0 }, 400)).toEqual({ users: 1, throughput: 10 });
  });

  it('is not guessed from two steps', () => {
    expect(
      fitScalabilityLaw([
        { users: 1, throughput: 9 },
        { users: 2, throughput: 15 },
      ]),
    ).toBeUndefined();
  });

  // N. J. Gunther's book fits a ray tracer on 1 to 64 processors: sigma 0.0500 and kappa 5e-6.
  it('finds the published contention of a ray tracer', () => {
    const rays = [
      [1, 20],
      [4, 78],
      [8, 130],
      [12, 170],
      [16, 190],
      [20, 200],
      [24, 210],
      [28, 230],
      [32, 260],
      [48, 280],
      [64, 310],
    ];
    const found = fitScalabilityLaw(rays.map(([users = 0, throughput = 0]) => ({ users, throughput })));
    expect(found?.contention).toBeGreaterThan(0.04);
    expect(found?.contention).toBeLessThan(0.06);
    expect(found?.coherence).toBeLessThan(1e-4);
  });
});
