import { join } from 'node:path';
import { expect, it } from 'vitest';
import { asExpected, simulatedRun } from '../../test/simulation/simulated-run.ts';
import { loadConfig } from '../adapters/config/index.ts';
import { planSuite } from '../measure/index.ts';
import { createRandom } from '../stats/index.ts';
import { unchangedChecks } from './unchanged-checks.ts';

const path = join(import.meta.dirname, '../../../perf/gate.yml');
const { config } = loadConfig(path);
const judging = { config, plan: planSuite(config, 'pr', path) };

/** Runs that scatter by so much between blocks. */
function runs(count: number, blockSd: number) {
  const random = createRandom(5);
  const truth = { ...asExpected, blocks: 4, blockSd: { tps: blockSd, p95: 2 * blockSd } };
  return Array.from({ length: count }, (_, at) => ({
    regime: 'quiet' as const,
    placement: 'stored' as const,
    pair: '',
    change: '',
    run: { ...simulatedRun(`run-${at}`, random, truth), startedAt: new Date(1e12 + 1e6 * at).toISOString() },
  }));
}

it('checks each run that has three before it', () => {
  expect(unchangedChecks(runs(3, 0.03), judging).checks).toBe(0);
  const { checks, red, suspect } = unchangedChecks(runs(12, 0.03), judging);
  expect(checks).toBe(9);
  expect(red.rate).toBe(0);
  expect(red.high).toBeGreaterThan(0.2);
  expect(suspect.low).toBeLessThanOrEqual(suspect.rate);
});

it('supports smaller tolerances where blocks scatter less', () => {
  const [calm, noisy] = [0.02, 0.1].map((sd) => {
    const { tolerances } = unchangedChecks(runs(12, sd), judging);
    return Object.fromEntries(tolerances.map(({ metric, tolerance }) => [metric, tolerance]));
  });
  expect(calm?.tps).toBeGreaterThan(0);
  expect(calm?.tps).toBeLessThan(noisy?.tps ?? 1);
  expect(calm?.p95).toBeLessThan(noisy?.p95 ?? 1);
});
