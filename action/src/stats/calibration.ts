import { mean, median, mode, sampleVariance } from 'simple-statistics';
import type { Noise } from './noise-model.ts';
import { moderate, pooledVariance, poolVariances, type VarianceEstimate } from './variance.ts';

/** Runs of one side of a cell, each the natural logs of its blocks' values; no run is empty. */
export type Side = readonly (readonly number[])[];

/** The noise of a metric as stored runs show it. */
export interface Calibration extends Omit<Noise, 'block'> {
  /** Between blocks of one boot, for every cell. */
  readonly blocks: readonly VarianceEstimate[];
}

/** Degrees of freedom with which the other cells vouch for the block variance of a cell, at most. */
export const mostCommonDf = 5;

function blockVariances(cells: readonly Side[], expected: VarianceEstimate): readonly VarianceEstimate[] {
  const own = cells.map(pooledVariance);
  return own.map((observed, cell) => {
    const others = moderate(poolVariances(own.toSpliced(cell, 1)), expected);
    return moderate(observed, { ...others, df: Math.min(mostCommonDf, others.df) });
  });
}

interface RunParts {
  readonly boot: VarianceEstimate;
  readonly run: VarianceEstimate;
}

/**
 * What runs differ by beyond their blocks, by the method of moments (Searle, Casella and McCulloch 1992, chapter 4). One
 * part is shared by all cells of a run, and one belongs to each cell alone. `cells` have the same runs in the same order.
 */
function runParts(cells: readonly Side[], blocks: readonly VarianceEstimate[], expected: RunParts): RunParts {
  const runs = cells[0]?.length ?? 0;
  if (runs < 2) return { boot: expected.boot, run: expected.run };
  const deviations = cells.map((side) => {
    const means = side.map((levels) => mean([...levels]));
    const centre = mean(means);
    return means.map((value) => value - centre);
  });
  const shared = Array.from({ length: runs }, (_, run) => mean(deviations.map((cell) => cell[run] ?? 0)));
  const ofBlocks = mean(
    cells.map((side, cell) => (blocks[cell]?.variance ?? 0) * mean(side.map((levels) => 1 / levels.length))),
  );
  if (cells.length === 1) {
    const run = Math.max(0, sampleVariance(shared) - ofBlocks - expected.boot.variance);
    return { boot: expected.boot, run: moderate({ variance: run, df: runs - 1 }, expected.run) };
  }
  const df = (cells.length - 1) * (runs - 1);
  const own =
    deviations
      .flatMap((cell) => cell.map((value, run) => (value - (shared[run] ?? 0)) ** 2))
      .reduce((a, b) => a + b, 0) / df;
  return {
    boot: moderate({ variance: Math.max(0, own - ofBlocks), df }, expected.boot),
    run: moderate(
      { variance: Math.max(0, sampleVariance(shared) - own / cells.length), df: runs - 1 },
      expected.run,
    ),
  };
}

/**
 * The noise that runs of unchanged code show, each part drawn towards what was expected (Smyth 2004). Cells that have
 * another number of runs than most say nothing about how runs differ.
 */
export function calibrate(cells: readonly Side[], expected: Noise): Calibration {
  const blocks = blockVariances(cells, expected.block);
  const usual = cells.length === 0 ? 0 : mode(cells.map((side) => side.length));
  const complete = cells.flatMap((side, index) => (side.length === usual ? [index] : []));
  return {
    blocks,
    ...runParts(
      complete.map((index) => cells[index] ?? []),
      complete.map((index) => blocks[index] ?? expected.block),
      expected,
    ),
  };
}

/** A single cell counts as this many times noisier than the usual one, at most. */
const mostOfOne = 4;

/**
 * The variance of these blocks over the calibrated one, all cells together, drawn towards 1 with `weight` degrees of
 * freedom. One cell in which a block hangs must not excuse the others.
 */
export function noiseRatio(
  cells: readonly Side[],
  blocks: readonly VarianceEstimate[],
  weight: number,
): number {
  const own = cells.flatMap((side, cell): VarianceEstimate[] => {
    const { variance, df } = pooledVariance(side);
    return df === 0 ? [] : [{ variance: variance / (blocks[cell]?.variance ?? 1), df }];
  });
  if (own.length === 0) return 1;
  const most = mostOfOne * Math.max(1, median(own.map(({ variance }) => variance)));
  const df = own.reduce((sum, one) => sum + one.df, 0);
  const sum = own.reduce((all, one) => all + one.df * Math.min(most, one.variance), 0);
  return moderate({ variance: sum / df, df }, { variance: 1, df: weight }).variance;
}
