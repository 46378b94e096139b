import { describe, expect, it } from 'vitest';
import { recordedOptions } from '../../test/recorded/recorded-options.ts';
import { type AutoCheck, rate } from '../../test/simulation/auto-check.ts';
import {
  type Change,
  drawRun,
  type Effect,
  type Hour,
  resampledCells,
  resampledCheck,
  type Scene,
} from '../../test/simulation/resampled-check.ts';
import type { MachinePart, MetricName } from '../model/metric.ts';
import type { MetricVerdict, Verdict } from '../model/verdict.ts';
import { createRandom } from '../stats/random.ts';
import { judge } from './judge.ts';

/*
 * Checks made of recorded blocks of six unchanged runs, so the noise is that of a real machine: its neighbours, its
 * hours and the shape of its blocks. Longer simulations found 0.1 to 0.5% of unchanged checks red.
 */

function checks(scene: Scene, count: number): readonly AutoCheck[] {
  const random = createRandom(2026);
  return Array.from({ length: count }, () => resampledCheck(random, scene));
}

const isRed = ({ verdict }: AutoCheck): boolean => verdict.outcome === 'regression';
const changed = 2;
const inOneCell =
  (effect: Effect): Change =>
  (cell) =>
    cell === changed ? effect : {};
const longer = (share: number) => Math.log1p(share);

describe('a check of unchanged code', () => {
  it.each([
    { storedRuns: 0, count: 60, again: 0.2 },
    { storedRuns: 1, count: 40, again: 0.15 },
    { storedRuns: 3, count: 150, again: 0.15 },
    { storedRuns: 10, count: 20, again: 0.15 },
  ])(
    'is hardly ever red, and seldom measured again, with $storedRuns stored runs',
    ({ storedRuns, count, again }) => {
      const all = checks({ storedRuns }, count);
      expect(rate(all, isRed)).toBeLessThanOrEqual(0.01);
      expect(rate(all, ({ suspects }) => suspects.length > 0)).toBeLessThanOrEqual(again);
    },
  );

  it.each<[string, Hour]>([
    ['half as fast', { slower: 2 }],
    ['twice as fast', { slower: 0.5 }],
    ['robbed of 30% of its CPU time', { stolen: 0.3 }],
    ['both slow and robbed', { slower: 1.5, stolen: 0.2 }],
  ])('comes to the same on a machine that is %s in the hour of head', (_, hour) => {
    const of = (scene: Scene) => checks(scene, 12).map(({ verdict }) => verdict);
    const scores = (all: readonly Verdict[]) =>
      all.flatMap(({ outcome, cells }) => [
        outcome,
        ...cells.flatMap(({ metrics }) =>
          metrics.map(({ score, change }) => [score.toFixed(3), change.toFixed(6)]),
        ),
      ]);
    const tps = ([first]: readonly Verdict[]) => first?.cells[0]?.head.tps ?? 0;
    const [usual, then] = [of({ storedRuns: 3 }), of({ storedRuns: 3, hour })];
    expect(scores(then)).toEqual(scores(usual));
    expect(tps(then)).toBeCloseTo((tps(usual) * (1 - (hour.stolen ?? 0))) / (hour.slower ?? 1), 3);
  });
});

describe('a change that slows one cell of six down by 10%', () => {
  it.each<[string, Effect]>([
    ['by CPU time', { time: longer(0.1), cpu: longer(0.1) }],
    ['by waiting', { time: longer(0.1) }],
  ])('is caught, three stored runs, %s', (_, effect) => {
    const all = checks({ storedRuns: 3, change: inOneCell(effect) }, 40);
    expect(
      rate(all, ({ verdict }) => verdict.cells[changed]?.outcome === 'regression'),
    ).toBeGreaterThanOrEqual(0.9);
    const others = rate(all, ({ verdict }) =>
      verdict.cells.some(({ outcome }, cell) => cell !== changed && outcome === 'regression'),
    );
    expect(others).toBeLessThanOrEqual(0.05);
  });
});

describe('a yardstick', () => {
  /** By what the metrics of the changed cell were divided. */
  function yardsticks(
    change: Effect,
    hour: Hour = {},
    options = recordedOptions,
  ): Readonly<Record<string, readonly MachinePart[]>> {
    const random = createRandom(7);
    const stored = [0, 1, 2].map((like) => drawRun(random, `stored-${like}`, { like }));
    const run = drawRun(random, 'head', { like: 5, change: inOneCell(change), hour });
    const context = { options, createdAt: '2026-11-22T00:00:00.000Z', seconds: 0 };
    const verdict: Verdict = judge({ run, base: { kind: 'stored', runs: stored }, ...context });
    const rows = verdict.cells[changed]?.metrics ?? [];
    return Object.fromEntries(rows.map(({ metric, yardstick }) => [metric, yardstick]));
  }
  const onlyBytes = Object.entries(recordedOptions.signals).filter(([name]) => name === 'bytesReceived');
  const timed: readonly MetricName[] = ['p95', 'tps', 'serviceCpu'];
  const used = (found: Readonly<Record<string, readonly MachinePart[]>>) => [
    ...new Set(timed.flatMap((name) => found[name] ?? [])),
  ];

  it('is every part while head gives all of them the same work', () => {
    const found = yardsticks({});
    expect(found.tps).toEqual(['generator', 'backing']);
    expect(found.backingCpu).toEqual(['generator']);
    expect(found.errorRate).toEqual([]);
  });

  it.each<[string, Effect, readonly MachinePart[], readonly MachinePart[]]>([
    ['more statements', { counts: { statements: 1.5 }, backingCpu: 0.3 }, ['generator'], ['generator']],
    ['fewer statements', { counts: { statements: 0.5 }, backingCpu: -0.3 }, ['generator'], ['generator']],
    ['larger responses', { counts: { bytesReceived: 3 }, generatorCpu: 0.3 }, ['backing'], []],
    ['both', { counts: { statements: 2, bytesReceived: 3 } }, [], []],
  ])('is no part whose work moved: %s', (_, effect, expected, ofBacking) => {
    const found = yardsticks(effect);
    expect(used(found)).toEqual(expected);
    expect(found.backingCpu).toEqual(ofBacking);
  });

  it.each([
    ['bytes', ['backing']],
    ['nothing', []],
  ])('is no part whose work nobody counts: without %s', (_, parts) => {
    const { bytesReceived: __, ...others } = recordedOptions.signals;
    const signals = parts.length === 0 ? {} : others;
    expect(used(yardsticks({}, {}, { ...recordedOptions, signals }))).toEqual(parts);
  });

  it('is not the generator where the machine waits more than 10 points more than in base', () => {
    const lock = yardsticks({ time: longer(0.3), generatorCpu: longer(0.25) });
    expect(used(lock)).toEqual(['backing']);
    expect(lock.backingCpu).toEqual([]);
    expect(used(yardsticks({ time: longer(0.05) }))).toContain('generator');
  });

  it('is none where the stack waits, however busy other programs keep the machine', () => {
    const waiting = { time: longer(4) };
    expect(used(yardsticks(waiting))).toEqual([]);
    expect(used(yardsticks(waiting, { stolen: 0.7 }))).toEqual([]);
  });

  it.each([
    ['where the work of the backing services is counted', recordedOptions, [0.2, 0.5, 1, 2, 4]],
    [
      'where nobody counts it',
      { ...recordedOptions, signals: Object.fromEntries(onlyBytes) },
      [0.3, 0.5, 1, 2],
    ],
  ] as const)('finds that all requests wait, even on a machine twice as fast, %s', (_, options, shares) => {
    for (const share of shares) {
      const change = () => ({ time: longer(share) });
      const all = checks({ storedRuns: 3, change, hour: { slower: 0.5 }, options }, 20);
      expect(rate(all, isRed), `${share} of their time`).toBeGreaterThanOrEqual(0.95);
    }
  });

  it('proves nothing alone where only parts that do not serve show that head is slower', () => {
    const change = () => ({ time: longer(1) });
    const all = checks({ storedRuns: 3, change, hour: { slower: 0.5 } }, 10);
    const metricsOf = all.flatMap(({ screened }) => screened.cells.map(({ metrics }) => metrics));
    const rowOf = (rows: readonly MetricVerdict[], name: MetricName) =>
      rows.find(({ metric }) => metric === name) ?? expect.unreachable();
    const waiting = metricsOf.filter((rows) => rowOf(rows, 'serviceCpu').yardstick.length === 0);
    const suspicions = waiting
      .map((rows) => rowOf(rows, 'tps'))
      .filter(({ yardstick }) => yardstick.length > 0);
    expect(suspicions.length).toBeGreaterThan(5);
    expect(suspicions).toEqual(suspicions.map((row) => ({ ...row, outcome: 'undecided', suspect: true })));
  });

  it('is not a database that needs more for the same counts, and none where it needs less than the generator shows', () => {
    expect(used(yardsticks({ backingCpu: 0.6 }))).toEqual(['generator']);
    expect(used(yardsticks({ generatorCpu: 0.6 }))).toEqual([]);
    // Both alike: that is a slower machine.
    expect(yardsticks({}, { slower: 1.8 }).tps).toEqual(['generator', 'backing']);
  });

  /** Of the changed cell, in the first measurement. */
  const suspects = ({ screened }: AutoCheck) =>
    (screened.cells[changed]?.metrics ?? []).filter(({ suspect }) => suspect).map(({ metric }) => metric);
  const slowerDatabase: Effect = { time: longer(0.25), cpu: longer(0.25), backingCpu: 0.4 };

  it('of a database that works more hides nothing: 25% slower by statements', () => {
    const change = inOneCell({ ...slowerDatabase, counts: { statements: 1.5 } });
    const all = checks({ storedRuns: 3, change }, 20);
    for (const { verdict } of all) {
      const tps = verdict.cells[changed]?.metrics.find(({ metric }) => metric === 'tps');
      expect(tps?.yardstick).toEqual(['generator']);
    }
    expect(rate(all, (check) => suspects(check).includes('tps'))).toBeGreaterThanOrEqual(0.85);
  });

  it('of a database that works more is suspect itself where nobody counts its work', () => {
    const all = checks({ storedRuns: 3, change: inOneCell(slowerDatabase) }, 20);
    expect(rate(all, (check) => suspects(check).includes('backingCpu'))).toBe(1);
  });

  it.each<[string, Effect]>([
    ['8% cheaper', { generatorCpu: -0.08 }],
    ['15% cheaper', { generatorCpu: -0.15 }],
  ])('that head moves seldom turns unchanged code red: a generator that is %s', (_, effect) => {
    for (const storedRuns of [0, 3]) {
      const everywhere = checks({ storedRuns, change: () => effect }, 60);
      expect(rate(everywhere, isRed), `${storedRuns} stored runs`).toBeLessThanOrEqual(0.2);
      const here = checks({ storedRuns, change: inOneCell(effect) }, 60);
      expect(rate(here, isRed), `one cell, ${storedRuns} stored runs`).toBeLessThanOrEqual(0.2);
    }
  });

  it('of a generator that waits hides no lock: 40% slower everywhere, at a third more CPU time of the generator', () => {
    const change: Change = () => ({ time: longer(0.4), generatorCpu: longer(0.33) });
    const all = checks({ storedRuns: 3, change }, 15);
    expect(rate(all, isRed)).toBe(1);
    const red = all.map(
      ({ verdict }) =>
        verdict.cells.filter(({ outcome }) => outcome === 'regression').length / resampledCells.length,
    );
    expect(Math.min(...red)).toBeGreaterThanOrEqual(0.5);
  });
});
