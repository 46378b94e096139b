import { describe, expect, it } from 'vitest';
import { recordedConfig, recordedPlan, recordedRun } from '../../test/recorded/recorded-runs.ts';
import { asExpected, simulatedRun } from '../../test/simulation/simulated-run.ts';
import type { Run } from '../model/run.ts';
import { createRandom } from '../stats/index.ts';
import { withEffect } from './effects.ts';
import { unchangedChecks } from './unchanged-checks.ts';

const judging = { config: recordedConfig, plan: recordedPlan };
const inOrder = (runs: readonly Run[]) =>
  runs.map((run, at) => ({
    regime: 'quiet' as const,
    placement: 'stored' as const,
    pair: '',
    change: '',
    run: { ...run, startedAt: new Date(1e12 + 1e6 * at).toISOString() },
  }));

/** Runs that scatter by so much between blocks, in cells of the plan. */
function runs(count: number, blockSd: number) {
  const random = createRandom(5);
  const truth = {
    ...asExpected,
    blocks: 4,
    blockSd: { tps: blockSd, p95: 2 * blockSd },
    bootSd: { tps: 0.01, p95: 0.01 },
    machineSd: { block: 0, run: 0 },
    runSd: { tps: 0, p95: 0 },
  };
  const simulated = Array.from({ length: count }, (_, at) => simulatedRun(`run-${at}`, random, truth));
  return inOrder(
    simulated.map((run) => ({
      ...run,
      cells: run.cells.flatMap((cell, at) => {
        const planned = recordedPlan.cells[at];
        return planned === undefined ? [] : [{ ...cell, scenario: planned.scenario, load: planned.load }];
      }),
    })),
  );
}

const newest = <One extends { readonly run: Run }>(one: One): One => ({
  ...one,
  run: { ...one.run, startedAt: new Date(2e12).toISOString() },
});

describe('checks of unchanged runs', () => {
  it('are made of each run that has three before it, and can judge', () => {
    expect(unchangedChecks(runs(3, 0.03), judging).checks).toBe(0);
    const { checks, red, couldNot } = unchangedChecks(runs(12, 0.03), judging);
    expect(checks).toBe(9);
    expect(couldNot.rate).toBe(0);
    expect(red.rate).toBe(0);
    expect(red.high).toBeGreaterThan(0.2);
  });

  it('support smaller tolerances where blocks scatter less', () => {
    const [calm, noisy] = [0.02, 0.06].map((sd) => {
      const { tolerances } = unchangedChecks(runs(12, sd), judging);
      return Object.fromEntries(tolerances.map(({ metric, tolerance }) => [metric, tolerance]));
    });
    expect(calm?.tps).toBeGreaterThan(0.01);
    expect(calm?.tps).toBeLessThan(noisy?.tps ?? 0);
    expect(calm?.p95).toBeLessThan(noisy?.p95 ?? 0);
  });

  it('support a tolerance of throughput in a suite in which one cell has a fixed rate', () => {
    const atRate = runs(12, 0.02).map(({ run, ...rest }) => {
      const cells = run.cells.map((cell, at) => (at === 0 ? { ...cell, arrival: 500 } : cell));
      return { ...rest, run: { ...run, cells } };
    });
    const { tolerances } = unchangedChecks(atRate, judging);
    expect(tolerances.find(({ metric }) => metric === 'tps')?.tolerance).toBeGreaterThan(0.01);
  });

  it('say so where no tolerance is wide enough', () => {
    const { tolerances } = unchangedChecks(runs(6, 1), judging);
    expect(tolerances).toContainEqual({ metric: 'p95', checks: 3, isSure: false });
  });

  it('support no tolerance of throughput where all cells have a fixed rate', () => {
    const atRate = runs(6, 0.02).map(({ run, ...rest }) => {
      const cells = run.cells.map((cell) => ({ ...cell, arrival: 500 }));
      return { ...rest, run: { ...run, cells } };
    });
    const { tolerances } = unchangedChecks(atRate, judging);
    expect(tolerances.map(({ metric }) => metric)).toEqual(['p95']);
  });

  it('leave out a run that broke off, and those of another suite', () => {
    const whole = runs(6, 0.02);
    const [first] = whole;
    if (first === undefined) throw new Error('there is no run');
    const cut = { ...first, run: { ...first.run, id: 'cut', cells: first.run.cells.slice(0, 2) } };
    const other = {
      ...first,
      run: { ...first.run, id: 'other', suite: 'peak', cells: first.run.cells.slice(0, 1) },
    };
    expect(unchangedChecks([...whole, newest(cut), newest(other)], judging)).toEqual(
      unchangedChecks(whole, judging),
    );
  });

  it('take as many rounds as the suite has', () => {
    const tps = (rounds: number) => {
      const plan = { ...recordedPlan, rounds };
      return unchangedChecks(runs(12, 0.06), { ...judging, plan }).tolerances.find(
        ({ metric }) => metric === 'tps',
      );
    };
    expect(tps(2)?.tolerance).toBeGreaterThan(tps(4)?.tolerance ?? Number.POSITIVE_INFINITY);
  });

  it('support no loss of all throughput, which no check could exceed', () => {
    const { tolerances } = unchangedChecks(runs(6, 3), judging);
    expect(tolerances).toContainEqual({ metric: 'tps', checks: 3, isSure: false });
  });

  it('are sure of a tolerance from 20 checks on', () => {
    const isSure = (count: number) => unchangedChecks(runs(count, 0.02), judging).tolerances[0]?.isSure;
    expect([isSure(22), isSure(23)]).toEqual([false, true]);
  });

  it('are confirmed by a recorded pair, even if there is only one', () => {
    const [fast, ...others] = runs(5, 0.02);
    const slower = withEffect(others.at(-1)?.run as Run, { kind: 'cpu', size: 0.5 }, [0]);
    const stored = [
      ...(fast === undefined ? [] : [fast]),
      ...others.slice(0, -1),
      ...inOrder([slower]).map(newest),
    ];
    const pair = (head: Run) =>
      (['base', 'head'] as const).map((placement) => ({
        ...{ regime: 'quiet' as const, placement, pair: 'one', change: '' },
        run: placement === 'head' ? head : (others[0]?.run as Run),
      }));
    // Head's own run would clear the suspect, because both sides would be drawn from it.
    expect(unchangedChecks(stored, judging).red.rate).toBe(0);
    expect(unchangedChecks([...stored, ...pair(slower)], judging).red.rate).toBe(0.5);
  });

  it('support no tolerance where they cannot judge', () => {
    const gap = recordedRun('01-unchanged');
    const invalid = { ...gap, cells: gap.cells.map((cell) => ({ ...cell, blocks: [] })) };
    const { checks, couldNot, tolerances } = unchangedChecks(inOrder([gap, gap, gap, invalid]), judging);
    expect(checks).toBe(1);
    expect(couldNot.rate).toBe(1);
    expect(tolerances).toEqual([]);
  });
});
