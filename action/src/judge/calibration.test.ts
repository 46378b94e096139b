import { mean } from 'simple-statistics';
import { describe, expect, it } from 'vitest';
import { createRandom, type Random } from '../../test/simulation/random.ts';
import {
  asExpected,
  drawNormal,
  runOf,
  type Slowdown,
  simulatedBlock,
  simulatedCell,
  simulatedOptions,
  simulatedRun,
  type Truth,
} from '../../test/simulation/simulated-run.ts';
import type { Verdict } from '../model/verdict.ts';
import { logInterval, logRatios } from '../stats/log-ratio.ts';
import type { NoiseModel } from '../stats/noise-model.ts';
import { familyAlpha } from './family.ts';
import { judge } from './judge.ts';

/*
 * Simulated checks of six cells whose truth is known. A false alarm comes in at most 5% of the checks (two families of
 * 2.5%), and an interval covers the truth about as often as it claims. A loss that matters is detected. The seeds are
 * fixed, so that a failure is a change of the method and never chance.
 */

const when = { createdAt: '2026-01-01T00:00:00Z', seconds: 1 };
const simulations = 300;
/** On a machine that is busy with other things. */
const patient = { timeout: 60_000 };

interface Scene {
  readonly baseRuns: number;
  readonly truth?: Truth;
  readonly headTruth?: Truth;
  readonly slowdown?: Slowdown;
  readonly sideBySide?: boolean;
}

function simulate(scene: Scene): readonly Verdict[] {
  const random = createRandom(2026);
  const { baseRuns, truth = asExpected, headTruth = truth, slowdown, sideBySide = false } = scene;
  return Array.from({ length: simulations }, (_, index) => {
    const runs = Array.from({ length: baseRuns }, (__, run) => simulatedRun(`base-${run}`, random, truth));
    const run = simulatedRun(`head-${index}`, random, headTruth, slowdown);
    const [first = run] = runs;
    const base = sideBySide
      ? ({ kind: 'side-by-side', run: first } as const)
      : ({ kind: 'stored', runs } as const);
    return judge({ run, base, options: simulatedOptions, ...when });
  });
}

function rate(verdicts: readonly Verdict[], counts: (verdict: Verdict) => boolean): number {
  return verdicts.filter(counts).length / verdicts.length;
}

const alarmed = ({ outcome }: Verdict): boolean => outcome === 'regression';

/** Significant by chance alone, tolerance and floor apart: what Holm and the intervals are answerable for. */
const significant = ({ cells }: Verdict): boolean =>
  cells.some(({ metrics }) => metrics.some(({ adjustedP }) => adjustedP < familyAlpha));

/** How often the intervals of p95 and TPS hold "no change". */
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

const noisier = (blocks: number, runs: number): Truth => ({
  ...asExpected,
  blockSd: { tps: asExpected.blockSd.tps * blocks, p95: asExpected.blockSd.p95 * blocks },
  runSd: { tps: asExpected.runSd.tps * runs, p95: asExpected.runSd.p95 * runs },
});

describe('nothing changed', patient, () => {
  it.each([1, 3, 10])('rarely alarms and covers the truth with %i base runs', (baseRuns) => {
    const verdicts = simulate({ baseRuns });
    expect(rate(verdicts, alarmed)).toBeLessThanOrEqual(familyAlpha);
    expect(rate(verdicts, significant)).toBeLessThanOrEqual(familyAlpha);
    expect(coverage(verdicts)).toBeGreaterThanOrEqual(0.94);
  });

  it.each([0, 1])('rarely alarms when p95 and TPS correlate by %i', (correlation) => {
    const verdicts = simulate({ baseRuns: 3, truth: { ...asExpected, correlation } });
    expect(rate(verdicts, significant)).toBeLessThanOrEqual(familyAlpha);
  });

  it.each([1, 3, 10])('rarely alarms with blocks twice as noisy as expected and %i base runs', (baseRuns) => {
    const verdicts = simulate({ baseRuns, truth: noisier(2, 1) });
    expect(rate(verdicts, significant)).toBeLessThanOrEqual(familyAlpha);
    expect(coverage(verdicts)).toBeGreaterThanOrEqual(0.94);
  });

  it('bears blocks and boots twice as noisy as expected, and is well again once history shows it', () => {
    const first = simulate({ baseRuns: 1, truth: noisier(2, 2) });
    expect(rate(first, alarmed)).toBeLessThanOrEqual(2 * familyAlpha);
    expect(coverage(first)).toBeGreaterThanOrEqual(0.92);
    const later = simulate({ baseRuns: 10, truth: noisier(2, 2) });
    expect(rate(later, alarmed)).toBeLessThanOrEqual(familyAlpha);
    expect(coverage(later)).toBeGreaterThanOrEqual(0.94);
  });

  it('bears a head that is three times as noisy as a calm history', () => {
    const verdicts = simulate({ baseRuns: 10, headTruth: noisier(3, 1) });
    expect(rate(verdicts, alarmed)).toBeLessThanOrEqual(0.07);
    expect(coverage(verdicts)).toBeGreaterThanOrEqual(0.9);
  });

  it('rarely alarms side by side', () => {
    const verdicts = simulate({ baseRuns: 1, sideBySide: true });
    expect(rate(verdicts, significant)).toBeLessThanOrEqual(familyAlpha);
    expect(coverage(verdicts)).toBeGreaterThanOrEqual(0.94);
  });

  it('covers the truth with ten blocks a run, where blocks taken for replicates would miss it', () => {
    const truth = { ...asExpected, blocks: 10 };
    expect(coverage(simulate({ baseRuns: 1, truth }))).toBeGreaterThanOrEqual(0.94);

    const random = createRandom(2026);
    const trusting: NoiseModel = { block: { variance: 1, df: 1e-9 }, run: { variance: 0, df: 1 } };
    const logs = (): number[][] =>
      simulatedRun('any', random, truth).cells.map(({ blocks }) => blocks.map(({ tps }) => Math.log(tps)));
    const covered = Array.from({ length: simulations }, () => {
      const [base, head] = [logs(), logs()];
      const ratios = logRatios(
        base.map((blocks, cell) => ({ base: [blocks], head: [head[cell] ?? []] })),
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

describe('errors', patient, () => {
  interface Errors {
    readonly rate: number;
    /** Standard deviations of its log: between runs, all cells of one alike, and between blocks. */
    readonly run: number;
    readonly block: number;
  }

  function erring(random: Random, { rate: typical, run, block }: Errors): ReturnType<typeof runOf> {
    const ofRun = typical * Math.exp(run * drawNormal(random));
    const cells = Array.from({ length: 6 }, (_, cell) =>
      simulatedCell(
        cell,
        Array.from({ length: 4 }, (__, round) => {
          const expected = 5000 * ofRun * Math.exp(block * drawNormal(random));
          // Requests of one batch fail together: a design effect of about 2.
          const errors = Math.round(expected + 1.5 * Math.sqrt(expected) * drawNormal(random));
          return simulatedBlock(round, 500, 200, Math.min(5000, Math.max(0, errors)));
        }),
      ),
    );
    return runOf(`run-${random()}`, cells);
  }

  function unchanged(errors: Errors, baseRuns: number): readonly Verdict[] {
    const random = createRandom(99);
    return Array.from({ length: simulations }, () => {
      const runs = Array.from({ length: baseRuns }, () => erring(random, errors));
      const run = erring(random, errors);
      return judge({ run, base: { kind: 'stored', runs }, options: simulatedOptions, ...when });
    });
  }

  it.each<Errors & { readonly baseRuns: number }>([
    { baseRuns: 10, rate: 0.002, run: 0.3, block: 0.3 },
    { baseRuns: 3, rate: 0.02, run: 0, block: 0.3 },
    { baseRuns: 1, rate: 0.02, run: 0.3, block: 0 },
    { baseRuns: 10, rate: 0.02, run: 0.3, block: 0.3 },
    { baseRuns: 3, rate: 0.05, run: 0.3, block: 0.2 },
    { baseRuns: 1, rate: 0.2, run: 0.1, block: 0 },
  ])(
    'rarely alarm where nothing changed: rate $rate, runs differ by $run, blocks by $block, $baseRuns of base',
    ({ baseRuns, ...errors }) => {
      expect(rate(unchanged(errors, baseRuns), alarmed)).toBeLessThanOrEqual(familyAlpha);
    },
  );

  it('bear runs that differ by more than expected', () => {
    const verdicts = unchanged({ rate: 0.02, run: 0.5, block: 0 }, 3);
    expect(rate(verdicts, alarmed)).toBeLessThanOrEqual(2 * familyAlpha);
  });

  /** No errors but for those of one cell, by block. */
  const counted = (id: string, errors: readonly number[]) =>
    runOf(
      id,
      Array.from({ length: 6 }, (_, cell) =>
        simulatedCell(
          cell,
          errors.map((count, round) => simulatedBlock(round, 500, 200, cell === 0 ? count : 0)),
        ),
      ),
    );

  it.each([[[100, 100, 100, 100]], [[0, 50, 150, 300]], [[0, 0, 500, 1000]]])(
    'are seen where there were none, however unevenly they come: %j of 5,000',
    (errors) => {
      for (const history of [['a'], ['a', 'b', 'c']]) {
        const runs = history.map((id) => counted(id, [0, 0, 0, 0]));
        const { cells } = judge({
          run: counted('head', errors),
          base: { kind: 'stored', runs },
          options: simulatedOptions,
          ...when,
        });
        expect(
          cells.map(({ metrics }) => metrics.find(({ metric }) => metric === 'errorRate')?.outcome),
        ).toEqual(['regression', 'pass', 'pass', 'pass', 'pass', 'pass']);
      }
    },
  );
});

describe('one cell of six became slower', patient, () => {
  const loss =
    (share: number): Slowdown =>
    (cell) =>
      cell === 0 ? 1 / (1 - share) : 1;
  const seen = ({ cells }: Verdict): boolean => cells[0]?.outcome === 'regression';

  it.each([{ baseRuns: 1 }, { baseRuns: 3 }, { baseRuns: 10 }])(
    'sees 30% of the throughput lost, with $baseRuns base runs',
    ({ baseRuns }) => {
      expect(rate(simulate({ baseRuns, slowdown: loss(0.3) }), seen)).toBeGreaterThanOrEqual(0.97);
    },
  );

  it('sees 20% lost with three base runs, and 15% mostly with ten', () => {
    expect(rate(simulate({ baseRuns: 3, slowdown: loss(0.2) }), seen)).toBeGreaterThanOrEqual(0.9);
    expect(rate(simulate({ baseRuns: 10, slowdown: loss(0.15) }), seen)).toBeGreaterThanOrEqual(0.75);
  });

  it.each([
    { baseRuns: 3, bad: 0 },
    { baseRuns: 3, bad: 2 },
    { baseRuns: 5, bad: 1 },
    { baseRuns: 10, bad: 9 },
  ])('sees 30% lost in spite of a bad run: number $bad of $baseRuns', ({ baseRuns, bad }) => {
    const random = createRandom(2026);
    const verdicts = Array.from({ length: simulations }, () => {
      const runs = Array.from({ length: baseRuns }, (_, run) =>
        simulatedRun(`base-${run}`, random, asExpected, run === bad ? () => 1.42 : undefined),
      );
      const run = simulatedRun('head', random, asExpected, loss(0.3));
      return judge({ run, base: { kind: 'stored', runs }, options: simulatedOptions, ...when });
    });
    expect(rate(verdicts, seen)).toBeGreaterThanOrEqual(0.97);
  });

  it('sees what it says it can see', () => {
    const visible = simulate({ baseRuns: 3 }).flatMap(({ cells }) =>
      cells.flatMap(({ metrics }) => metrics.filter(({ metric }) => metric === 'tps')),
    );
    const said = mean(visible.map(({ smallestVisible }) => smallestVisible));
    const power = rate(simulate({ baseRuns: 3, slowdown: loss(said) }), ({ cells }) =>
      (cells[0]?.metrics ?? []).some(({ metric, outcome }) => metric === 'tps' && outcome === 'regression'),
    );
    expect(power).toBeGreaterThanOrEqual(0.75);
    expect(power).toBeLessThanOrEqual(0.95);
  });

  it('alarms about the other cells no more often than about nothing', () => {
    const verdicts = simulate({ baseRuns: 3, slowdown: loss(0.3) });
    const others = rate(verdicts, ({ cells }) =>
      cells.slice(1).some(({ outcome }) => outcome === 'regression'),
    );
    expect(others).toBeLessThanOrEqual(familyAlpha);
  });
});
