import { describe, expect, it } from 'vitest';
import { createRandom, type Random } from '../../test/simulation/random.ts';
import {
  asExpected,
  type Slowdown,
  simulatedOptions,
  simulatedRun,
  type Truth,
} from '../../test/simulation/simulated-run.ts';
import { cellName, type Run } from '../model/run.ts';
import type { Verdict } from '../model/verdict.ts';
import { confirm, suspectCells } from './confirm.ts';
import { judge } from './judge.ts';

/*
 * `--compare auto` with both its looks, as the entry makes them: against three stored runs, and what looks worse
 * again there, interleaved with the base commit. An hour in which the machine is slower than it was for the stored runs
 * slows head in both looks and base only in the second.
 */

const when = { createdAt: '2026-01-01T00:00:00Z', seconds: 1 };
const simulations = 400;
const patient = { timeout: 60_000 };

/** As the reference service was measured, and its tolerances: 20% of TPS, 40% of p95. */
const measured: Truth = {
  ...asExpected,
  blocks: 4,
  blockSd: { tps: 0.04, p95: 0.086 },
  runSd: { tps: 0.022, p95: 0.03 },
};
const wide = { ...simulatedOptions, tolerances: { p95: 0.4, tps: 0.2, errorRate: 0.01 } };

interface Scene {
  readonly options?: typeof simulatedOptions;
  /** How many times longer everything takes in the hour of the check. */
  readonly hour?: number;
  /** Share of its TPS that one cell loses by the change. */
  readonly loss?: number;
}

function check(random: Random, { options = wide, hour = 1, loss = 0 }: Scene): Verdict {
  const change: Slowdown = (cell) => (cell === 0 ? hour / (1 - loss) : hour);
  const draw = (id: string, slowdown: Slowdown): Run => simulatedRun(id, random, measured, slowdown);
  const runs = ['a', 'b', 'c'].map((id) => draw(id, () => 1));
  const first = judge({ run: draw('head', change), base: { kind: 'stored', runs }, options, ...when });
  const suspects = suspectCells(first);
  if (suspects.length === 0) return first;
  const isSuspect = (cell: { scenario: string; load: string }) => suspects.includes(cellName(cell));
  const only = (run: Run): Run => ({ ...run, cells: run.cells.filter(isSuspect) });
  const second = judge({
    run: only(draw('beside', change)),
    base: { kind: 'side-by-side', run: only(draw('base', () => hour)) },
    options: { ...options, cells: options.cells.filter(isSuspect) },
    ...when,
  });
  return confirm(first, second);
}

/** Share of the checks that are red. */
function red(scene: Scene): number {
  const random = createRandom(2026);
  const outcomes = Array.from({ length: simulations }, () => check(random, scene).outcome);
  return outcomes.filter((outcome) => outcome === 'regression').length / simulations;
}

describe('auto', patient, () => {
  it('rarely alarms when nothing changed', () => {
    expect(red({})).toBeLessThanOrEqual(0.01);
    expect(red({ options: simulatedOptions })).toBeLessThanOrEqual(0.01);
  });

  it.each([1.28, 1.5])(
    'rarely takes an hour in which everything takes %f times as long for the change',
    (hour) => {
      expect(red({ hour })).toBeLessThanOrEqual(0.05);
      expect(red({ hour, options: simulatedOptions })).toBeLessThanOrEqual(0.05);
    },
  );

  it('sees a loss, also in such an hour', () => {
    expect(red({ loss: 0.3 })).toBeGreaterThanOrEqual(0.9);
    expect(red({ loss: 0.3, hour: 1.28 })).toBeGreaterThanOrEqual(0.9);
    expect(red({ loss: 0.15, options: simulatedOptions })).toBeGreaterThanOrEqual(0.8);
  });
});
