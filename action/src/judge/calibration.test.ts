import { mean } from 'simple-statistics';
import { describe, expect, it } from 'vitest';
import { type AutoCheck, rate } from '../../test/simulation/auto-check.ts';
import { type Scene, simulateCheck } from '../../test/simulation/simulated-check.ts';
import {
  asExpected,
  type Slowdown,
  simulatedOptions,
  simulatedRun,
  type Truth,
} from '../../test/simulation/simulated-run.ts';
import type { Verdict } from '../model/verdict.ts';
import type { Calibration } from '../stats/index.ts';
import { logInterval, logRatios } from '../stats/log-ratio.ts';
import { createRandom } from '../stats/random.ts';
import { judge } from './judge.ts';

/*
 * Simulated checks of six cells whose truth is known, on a machine whose speed moves by 9% between blocks and by 8%
 * between runs. About one unchanged check in twenty-five looks worse at first, and one in several hundred in the end.
 * The seeds are fixed, so that a failure is a change of the method and never chance.
 */

function simulate(scene: Scene, count: number): readonly AutoCheck[] {
  const random = createRandom(2026);
  return Array.from({ length: count }, () => simulateCheck(random, scene));
}

const isRed = ({ outcome }: Verdict): boolean => outcome === 'regression';
const red = (checks: readonly AutoCheck[]) => rate(checks, ({ verdict }) => isRed(verdict));
const redAtFirst = (checks: readonly AutoCheck[]) => rate(checks, ({ screened }) => isRed(screened));
const measuredAgain = (checks: readonly AutoCheck[]) => rate(checks, ({ suspects }) => suspects.length > 0);

/** How often the intervals of the first measurement hold "no change". */
function coverage(verdicts: readonly Verdict[]): number {
  const covered = verdicts.flatMap(({ cells }) =>
    cells.flatMap(({ metrics }) =>
      metrics
        .filter(({ metric }) => metric !== 'errorRate')
        .map(({ interval }) => Number(interval.low <= 0 && interval.high >= 0)),
    ),
  );
  return mean(covered);
}
const screened = (checks: readonly AutoCheck[]) => checks.map((check) => check.screened);

const times = (sd: Truth['blockSd'], factor: number) => ({ tps: sd.tps * factor, p95: sd.p95 * factor });
const noisier = (blocks: number, runs: number): Truth => ({
  ...asExpected,
  blockSd: times(asExpected.blockSd, blocks),
  partSd: asExpected.partSd * blocks,
  bootSd: times(asExpected.bootSd, runs),
  runSd: times(asExpected.runSd, runs),
});

describe('nothing changed', () => {
  it.each([1, 3, 10])(
    'is hardly ever red, and the intervals cover the truth, with %i stored runs',
    (storedRuns) => {
      const checks = simulate({ storedRuns }, 120);
      expect(red(checks)).toBeLessThanOrEqual(0.01);
      expect(redAtFirst(checks)).toBeLessThanOrEqual(0.01);
      expect(measuredAgain(checks)).toBeLessThanOrEqual(0.1);
      expect(coverage(screened(checks))).toBeGreaterThanOrEqual(0.94);
    },
  );

  it.each([0, 1])('is hardly ever red when p95 and TPS correlate by %i', (correlation) => {
    const checks = simulate({ storedRuns: 3, truth: { ...asExpected, correlation } }, 60);
    expect(red(checks)).toBe(0);
    expect(measuredAgain(checks)).toBeLessThanOrEqual(0.1);
  });

  it.each([1.28, 2])('is hardly ever red in an hour in which all takes %f times as long', (slowerHour) => {
    const checks = simulate({ storedRuns: 3, slowerHour }, 60);
    expect(red(checks)).toBeLessThanOrEqual(0.01);
    expect(measuredAgain(checks)).toBeLessThanOrEqual(0.1);
  });

  it.each([1, 10])(
    'is hardly ever red with blocks twice as noisy as expected, %i stored runs',
    (storedRuns) => {
      const checks = simulate({ storedRuns, truth: noisier(2, 1) }, 60);
      expect(red(checks)).toBe(0);
      expect(measuredAgain(checks)).toBeLessThanOrEqual(0.1);
      expect(coverage(screened(checks))).toBeGreaterThanOrEqual(0.94);
    },
  );

  it.each([1, 3])('bears blocks, boots and runs twice as noisy as expected, %i stored runs', (storedRuns) => {
    const checks = simulate({ storedRuns, truth: noisier(2, 2) }, 60);
    expect(red(checks)).toBeLessThanOrEqual(0.02);
    expect(measuredAgain(checks)).toBeLessThanOrEqual(0.2);
    expect(coverage(screened(checks))).toBeGreaterThanOrEqual(0.94);
  });

  it('bears a head three times as noisy as its history: many are measured again, few are red', () => {
    const checks = simulate({ storedRuns: 3, headTruth: noisier(3, 1) }, 80);
    expect(red(checks)).toBeLessThanOrEqual(0.04);
    expect(measuredAgain(checks)).toBeLessThanOrEqual(0.4);
    expect(coverage(screened(checks))).toBeGreaterThanOrEqual(0.85);
  });

  it('is hardly ever red side by side', () => {
    const random = createRandom(2026);
    const verdicts = Array.from({ length: 120 }, () => {
      const [run, base] = ['head', 'base'].map((id) => simulatedRun(id, random, asExpected, { hour: 0 }));
      if (run === undefined || base === undefined) throw new Error('nothing was drawn');
      const context = { options: simulatedOptions, createdAt: '2026-01-01T00:00:00Z', seconds: 1 };
      return judge({ run, base: { kind: 'side-by-side', run: base }, ...context });
    });
    expect(rate(verdicts, isRed)).toBeLessThanOrEqual(0.01);
    expect(coverage(verdicts)).toBeGreaterThanOrEqual(0.94);
  });

  it('covers the truth with ten blocks a run, where blocks taken for replicates would miss it', () => {
    const truth = { ...asExpected, blocks: 10 };
    expect(coverage(screened(simulate({ storedRuns: 1, truth }, 40)))).toBeGreaterThanOrEqual(0.94);

    const random = createRandom(2026);
    const block = { variance: asExpected.machineSd.block ** 2 + asExpected.blockSd.tps ** 2, df: 1e6 };
    const none = { variance: 0, df: 1 };
    const trusting: Calibration = { blocks: Array.from({ length: 6 }, () => block), boot: none, run: none };
    const logs = (): number[][] =>
      simulatedRun('any', random, truth).cells.map(({ blocks }) => blocks.map(({ tps }) => Math.log(tps)));
    const covered = Array.from({ length: 100 }, () => {
      const [base, head] = [logs(), logs()];
      const ratios = logRatios(
        base.map((blocks, cell) => ({ base: [blocks], head: head[cell] ?? [] })),
        trusting,
      );
      return mean(
        ratios.map((ratio) => {
          const { low, high } = logInterval(ratio, 0.95);
          return Number(low <= 0 && high >= 0);
        }),
      );
    });
    expect(mean(covered)).toBeLessThan(0.8);
  });
});

describe('one cell of six became slower', () => {
  const loss =
    (share: number): Slowdown =>
    (cell) =>
      cell === 0 ? 1 / (1 - share) : 1;
  const caught = ({ verdict }: AutoCheck): boolean => verdict.cells[0]?.outcome === 'regression';

  it.each([
    { storedRuns: 1, share: 0.15 },
    { storedRuns: 3, share: 0.15 },
    { storedRuns: 3, share: 0.1, atLeast: 0.9 },
    { storedRuns: 10, share: 0.1, atLeast: 0.95 },
  ])(
    'is caught: $share of the throughput, $storedRuns stored runs',
    ({ storedRuns, share, atLeast = 0.97 }) => {
      expect(rate(simulate({ storedRuns, slowdown: loss(share) }, 30), caught)).toBeGreaterThanOrEqual(
        atLeast,
      );
    },
  );

  it.each([0.7, 2])('is caught in an hour in which all takes %f times as long', (slowerHour) => {
    const checks = simulate({ storedRuns: 3, slowerHour, slowdown: loss(0.15) }, 20);
    expect(rate(checks, caught)).toBeGreaterThanOrEqual(0.97);
  });

  it('is not blamed on the other cells', () => {
    const checks = simulate({ storedRuns: 3, slowdown: loss(0.2) }, 30);
    expect(
      rate(checks, ({ verdict }) => verdict.cells.slice(1).some(({ outcome }) => outcome === 'regression')),
    ).toBe(0);
  });

  it('is as likely to be noticed as the check says', () => {
    const tpsOf = ({ cells }: Verdict) =>
      (cells[0]?.metrics ?? []).filter(({ metric, yardstick }) => metric === 'tps' && yardstick.length > 0);
    const visible = screened(simulate({ storedRuns: 3 }, 20)).flatMap(tpsOf);
    const said = mean(visible.map(({ smallestVisible }) => smallestVisible));
    const checks = simulate({ storedRuns: 3, slowdown: loss(said) }, 80);
    const noticed = rate(screened(checks), (verdict) => tpsOf(verdict).some(({ suspect }) => suspect));
    expect(noticed).toBeGreaterThanOrEqual(0.9);
    expect(noticed).toBeLessThan(1);
  });
});

describe('a stored run that is unlike the others', () => {
  const slower: Slowdown = (cell) => (cell === 0 ? 1.25 : 1);

  it.each([
    { storedRuns: 3, run: 0, slowdown: 1.42 },
    { storedRuns: 3, run: 2, slowdown: 1.42 },
    { storedRuns: 10, run: 9, slowdown: 1.42 },
    { storedRuns: 10, run: 4, slowdown: 0.7 },
  ])(
    'neither hides a loss of 20% nor looks like one: number $run of $storedRuns, $slowdown times',
    (scene) => {
      const { storedRuns, ...poisoned } = scene;
      const checks = simulate({ storedRuns, poisoned, slowdown: slower }, 12);
      expect(rate(checks, ({ verdict }) => verdict.cells[0]?.outcome === 'regression')).toBe(1);
      expect(red(simulate({ storedRuns, poisoned }, 30))).toBe(0);
    },
  );

  it.each([
    { storedRuns: 3, run: 2 },
    { storedRuns: 10, run: 9 },
  ])('may be a change if it is the newest and faster: the check then says that it sees less', (scene) => {
    const poisoned = { run: scene.run, slowdown: 0.7 };
    const checks = simulate({ storedRuns: scene.storedRuns, poisoned }, 15);
    expect(red(checks)).toBe(0);
    for (const { screened: first } of checks) {
      for (const { metrics } of first.cells) {
        const tps = metrics.find(({ metric }) => metric === 'tps');
        expect(tps?.outcome).toBe('coarse');
        expect(tps?.smallestVisible).toBeGreaterThan(0.2);
      }
    }
  });
});
