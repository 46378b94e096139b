import { array, assert, double, property } from 'fast-check';
import { mean } from 'simple-statistics';
import { describe, expect, it } from 'vitest';
import { drawNormal } from '../../test/simulation/simulated-run.ts';
import { calibrate, mostCommonDf, noiseRatio, type Side } from './calibration.ts';
import type { Noise } from './noise-model.ts';
import { createRandom, type Random } from './random.ts';

/** Of every property, so that a failure can be repeated. */
const fixed = { seed: 2026 };

const truth = { block: 0.05, boot: 0.03, run: 0.04 };
/** Wrong by far, and hardly believed. */
const unknown: Noise = {
  block: { variance: 1, df: 1e-6 },
  boot: { variance: 1, df: 1e-6 },
  run: { variance: 1, df: 1e-6 },
};
const expected: Noise = {
  block: { variance: 0.01, df: 4 },
  boot: { variance: 0.001, df: 4 },
  run: { variance: 0.002, df: 4 },
};

interface Shape {
  readonly runs: number;
  readonly cells: number;
  /** Blocks of a cell in a run. */
  readonly blocks: (cell: number, run: number) => number;
}

/** Cells with the same runs: every run, every boot of a cell in it and every block has a draw of its own. */
function simulate({ runs, cells, blocks }: Shape, random: Random, sd = truth): readonly Side[] {
  const ofRun = Array.from({ length: runs }, () => sd.run * drawNormal(random));
  return Array.from({ length: cells }, (_, cell) =>
    ofRun.map((level, run) => {
      const own = 3 * cell + level + sd.boot * drawNormal(random);
      return Array.from({ length: blocks(cell, run) }, () => own + sd.block * drawNormal(random));
    }),
  );
}

function expectNear(actual: number, wanted: number): void {
  expect(actual).toBeGreaterThan(0.9 * wanted);
  expect(actual).toBeLessThan(1.1 * wanted);
}

describe('calibrate', () => {
  it.each([
    ['as many blocks in all runs', () => 4],
    ['few blocks in some runs', (_: number, run: number) => (run % 2 === 0 ? 2 : 8)],
    ['few blocks in some cells', (cell: number) => (cell % 2 === 0 ? 2 : 8)],
  ])('recovers what blocks, boots and runs differ by, with %s', (_, blocks) => {
    const cells = simulate({ runs: 2000, cells: 6, blocks }, createRandom(1));
    const found = calibrate(cells, unknown);
    expect(found.blocks).toHaveLength(6);
    for (const { variance } of found.blocks) expectNear(variance, truth.block ** 2);
    expectNear(found.boot.variance, truth.boot ** 2);
    expectNear(found.run.variance, truth.run ** 2);
    expect(found.boot.df).toBeCloseTo(5 * 1999, 3);
    expect(found.run.df).toBeCloseTo(1999, 3);
  });

  it('is right on average with three runs of six cells', () => {
    const random = createRandom(2);
    // Blocks so calm that no estimate has to be cut off at 0.
    const sd = { block: 0.005, boot: 0.03, run: 0.06 };
    const found = Array.from({ length: 2000 }, () =>
      calibrate(simulate({ runs: 3, cells: 6, blocks: () => 3 }, random, sd), unknown),
    );
    expectNear(mean(found.map(({ blocks }) => blocks[0]?.variance ?? 0)), sd.block ** 2);
    expectNear(mean(found.map(({ boot }) => boot.variance)), sd.boot ** 2);
    expectNear(mean(found.map(({ run }) => run.variance)), sd.run ** 2);
  });

  it('finds nothing between boots and runs where blocks are all there is', () => {
    const cells = simulate({ runs: 2000, cells: 6, blocks: () => 3 }, createRandom(3), {
      block: 0.05,
      boot: 0,
      run: 0,
    });
    const { boot, run } = calibrate(cells, { ...unknown, boot: { variance: 0, df: 4 } });
    expect(boot.variance).toBeLessThan(0.05 ** 2 / 60);
    expect(run.variance).toBeLessThan(0.05 ** 2 / 60);
  });

  it('is the two-way analysis of variance, drawn towards what was expected', () => {
    // Deviations of -1 and 1, and of -2 and 2: shared ones of -1.5 and 1.5, and 0.5 off those everywhere.
    const { blocks, boot, run } = calibrate(
      [
        [[1], [3]],
        [[10], [14]],
      ],
      { ...expected, block: { variance: 0.25, df: 4 } },
    );
    expect(blocks.map(({ variance }) => variance)).toEqual([0.25, 0.25]);
    expect(boot).toEqual({ variance: expect.closeTo((1 - 0.25 + 4 * 0.001) / 5, 12), df: 5 });
    expect(run).toEqual({ variance: expect.closeTo((4.5 - 1 / 2 + 4 * 0.002) / 5, 12), df: 5 });
  });

  it('does not mind the level of a cell', () => {
    const cells = simulate({ runs: 4, cells: 3, blocks: () => 3 }, createRandom(4));
    const raised = cells.map((side, cell) => side.map((levels) => levels.map((value) => value + 7 * cell)));
    const [one, other] = [calibrate(cells, expected), calibrate(raised, expected)];
    expect(other.boot.variance).toBeCloseTo(one.boot.variance, 12);
    expect(other.run.variance).toBeCloseTo(one.run.variance, 12);
  });

  it('draws the blocks of a cell towards those of the others, and these towards what was expected', () => {
    // Variances of 0 and 0.08, each on 2 degrees of freedom.
    const calm = [[0, 0, 0]];
    const noisy = [[-Math.sqrt(0.08), 0, Math.sqrt(0.08)]];
    const { blocks } = calibrate([calm, noisy, calm, calm], expected);
    // Three others with 2 degrees of freedom each, and an expectation worth 4.
    const ofCalm = (2 * 0.08 + 4 * 0.01) / (6 + 4);
    const ofNoisy = (4 * 0.01) / (6 + 4);
    expect(blocks[0]?.variance).toBeCloseTo((mostCommonDf * ofCalm) / (mostCommonDf + 2), 12);
    expect(blocks[1]?.variance).toBeCloseTo((2 * 0.08 + mostCommonDf * ofNoisy) / (mostCommonDf + 2), 12);
  });

  it.each([1, 6])('leaves how boots and runs differ to expectation with one run of %i cells', (cells) => {
    const { blocks, boot, run } = calibrate(
      simulate({ runs: 1, cells, blocks: () => 4 }, createRandom(5)),
      expected,
    );
    expect(blocks).toHaveLength(cells);
    expect(blocks[0]?.variance).toBeLessThan(expected.block.variance);
    expect(boot).toEqual(expected.boot);
    expect(run).toEqual(expected.run);
  });

  it('learns from one cell how its runs differ, though not what is of its boots', () => {
    const cells = simulate({ runs: 2000, cells: 1, blocks: () => 4 }, createRandom(6), { ...truth, boot: 0 });
    const { boot, run } = calibrate(cells, { ...unknown, boot: { variance: 0, df: 4 } });
    expect(boot).toEqual({ variance: 0, df: 4 });
    expectNear(run.variance, truth.run ** 2);
    expect(run.df).toBeCloseTo(1999, 3);
  });

  it('hears a cell that lacks a run about its blocks alone', () => {
    const cells = simulate({ runs: 3, cells: 4, blocks: () => 3 }, createRandom(7));
    const wild = [
      [0, 2, -2],
      [9, 9, 9],
    ];
    const [without, beside] = [calibrate(cells, expected), calibrate([...cells, wild], expected)];
    expect(beside.blocks).toHaveLength(5);
    expect(beside.blocks[4]?.variance).toBeGreaterThan(2 * (beside.blocks[0]?.variance ?? 0));
    expect(beside.boot.df).toBe(without.boot.df);
    expect(beside.run.df).toBe(without.run.df);
    // Noisier blocks explain more of what runs differ by, and nothing else is taken from that cell.
    expect(beside.boot.variance).toBeLessThanOrEqual(without.boot.variance);
    expect(beside.run.variance).toBeCloseTo(without.run.variance, 12);
  });

  it('is what was expected where there is nothing', () => {
    const { blocks, boot, run } = calibrate([], expected);
    expect({ blocks, boot, run }).toEqual({ blocks: [], boot: expected.boot, run: expected.run });
  });
});

describe('noiseRatio', () => {
  const blocks = [
    { variance: 0.01, df: 12 },
    { variance: 0.04, df: 12 },
  ];

  it('is 1 where no block has a neighbour', () => {
    expect(noiseRatio([[[1]], [[2], [5]]], blocks, 10)).toBe(1);
  });

  it('holds every cell against its own calibration, by what its blocks can tell', () => {
    // Variances of 0.02 on 1 degree of freedom and 0.16 on 2: ratios of 2 and 4.
    const cells = [[[0, 0.2]], [[0, 0.4, -0.4]]];
    expect(noiseRatio(cells, blocks, 0)).toBeCloseTo((2 + 2 * 4) / 3, 12);
    expect(noiseRatio(cells, blocks, 10)).toBeCloseTo((2 + 2 * 4 + 10) / 13, 12);
    expect(noiseRatio(cells, blocks, 1e9)).toBeCloseTo(1, 6);
  });

  it('credits calm', () => {
    expect(noiseRatio([[[3, 3, 3]]], blocks, 10)).toBeCloseTo(10 / 12, 12);
  });

  it('lies between 1 and what was observed, nearer to 1 with more weight', () => {
    const levels = array(double({ min: -1, max: 1, noNaN: true }), { minLength: 1, maxLength: 5 });
    const weights = double({ min: 0.1, max: 100, noNaN: true });
    assert(
      property(levels, levels, weights, (one, other, weight) => {
        const at = (df: number) => Math.log(noiseRatio([[one], [other]], blocks, df));
        const [drawn, further] = [at(weight), at(2 * weight)];
        expect(Math.abs(further)).toBeLessThanOrEqual(Math.abs(drawn) + 1e-12);
        expect(drawn * further).toBeGreaterThanOrEqual(0);
      }),
      fixed,
    );
  });

  it('is about 1 where blocks are as calibrated, and the square of a factor on their scatter', () => {
    const ratio = (factor: number) => {
      const sd = { ...truth, block: factor * truth.block };
      const cells = simulate({ runs: 200, cells: 6, blocks: () => 4 }, createRandom(8), sd);
      return noiseRatio(
        cells,
        cells.map(() => ({ variance: truth.block ** 2, df: 12 })),
        10,
      );
    };
    expectNear(ratio(1), 1);
    expectNear(ratio(2), 4);
  });
});
