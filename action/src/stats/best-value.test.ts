import { describe, expect, it } from 'vitest';
import { drawNormal } from '../../test/simulation/simulated-run.ts';
import { bestValue } from './best-value.ts';
import { createRandom, type Random } from './random.ts';

const sweeps = 200;
const tolerance = 0.05;

/** Two boots of each value, with 4% between boots, four blocks of 7% in each, and a drift of 10% over the sweep. */
function simulate(random: Random, truth: readonly number[]): readonly number[][] {
  const figures = truth.map((): number[] => []);
  const forward = truth.map((_, value) => value);
  const turns = [...forward, ...forward.toReversed()];
  turns.forEach((value, turn) => {
    const noise = 0.04 * drawNormal(random) + (0.07 / Math.sqrt(4)) * drawNormal(random);
    figures[value]?.push((truth[value] ?? 0) + noise - (0.1 * turn) / turns.length);
  });
  return figures;
}

describe('bestValue', () => {
  it('finds the best of ten values, or one within the tolerance of it, in 95% of 200 sweeps', () => {
    const random = createRandom(15);
    const truth = Array.from({ length: 10 }, (_, value) => -0.02 * (value - 4) ** 2);
    const found = Array.from({ length: sweeps }, () => bestValue(simulate(random, truth), tolerance));
    const right = found.filter(({ best }) => (truth[best] ?? -1) >= Math.log1p(-tolerance)).length;
    expect(right / sweeps).toBeGreaterThanOrEqual(0.95);
    expect(found.filter(({ contrasts }) => contrasts[4]?.asGood).length / sweeps).toBeGreaterThanOrEqual(
      0.95,
    );
  });

  it('sees no effect where there is none in 95% of sweeps', () => {
    const random = createRandom(16);
    const flat = Array.from({ length: 10 }, () => 0);
    const alarms = Array.from({ length: sweeps }, () => bestValue(simulate(random, flat), tolerance)).filter(
      ({ differs }) => differs,
    );
    expect(alarms.length / sweeps).toBeLessThanOrEqual(0.05);
  });
});
