import { mean, sampleVariance } from 'simple-statistics';
import { blockVariances, type Side } from './block-noise.ts';
import type { NoiseModel } from './noise-model.ts';
import type { SplitError } from './power.ts';
import { studentQuantile, studentTail } from './student-t.ts';
import { addVariances, moderate, type VarianceEstimate } from './variance.ts';

/** Head against base on the log scale. */
export interface LogRatio {
  /** log(head / base). */
  readonly estimate: number;
  /** Squared standard error of the estimate. */
  readonly error: SplitError;
}

/** One cell's runs of either side. */
export interface Sides {
  readonly base: Side;
  readonly head: Side;
}

/** The logs of a base block and a head block that ran next to each other. */
export type Pair = readonly [base: number, head: number];

/** Fewer runs than this say too little about how runs differ. */
const historyRuns = 3;

function runMeans(side: Side): number[] {
  return side.map((blocks) => mean([...blocks]));
}

/** Share of a block's variance that is left in the mean over runs, each run weighted equally. */
function blockWeight(side: Side): number {
  return side.reduce((sum, blocks) => sum + 1 / blocks.length, 0) / side.length ** 2;
}

/** What blocks leave in the mean over a side's runs. */
function ofBlocks(side: Side, block: VarianceEstimate): VarianceEstimate {
  return { variance: block.variance * blockWeight(side), df: block.df };
}

/** Where blocks scatter more than expected, boots are taken to scatter more in proportion. */
function runPrior(noise: NoiseModel, blockVariance: number): VarianceEstimate {
  const factor = Math.max(1, blockVariance / noise.block.variance);
  return { variance: noise.run.variance * factor, df: noise.run.df };
}

/**
 * How much runs differ beyond what their blocks explain, by the method of moments (Kalibera and Jones
 * 2013), drawn towards the prior. Below three runs the prior alone stands.
 */
function runVariance(side: Side, block: VarianceEstimate, prior: VarianceEstimate): VarianceEstimate {
  if (side.length < historyRuns) {
    return prior;
  }
  const explained = ofBlocks(side, block).variance * side.length;
  const variance = Math.max(0, sampleVariance(runMeans(side)) - explained);
  return moderate({ variance, df: side.length - 1 }, prior);
}

/**
 * Every cell's difference and its error, from three parts: head's blocks, base's blocks, and what a run's blocks
 * cannot show because all of them share its boot (and host). All cells of a check are taken together, since they
 * share the machine and with it the noise.
 */
export function logRatios(cells: readonly Sides[], noise: NoiseModel): readonly LogRatio[] {
  const blocks = blockVariances(
    cells.map(({ base, head }) => [base, head]),
    noise.block,
  );
  return cells.map(({ base, head }, cell) => {
    const [baseVariance = noise.block, headVariance = noise.block] = blocks[cell] ?? [];
    const prior = runPrior(noise, (baseVariance.variance + headVariance.variance) / 2);
    const run = runVariance(head, headVariance, runVariance(base, baseVariance, prior));
    const luck = { variance: run.variance * (1 / base.length + 1 / head.length), df: run.df };
    return {
      estimate: mean(runMeans(head)) - mean(runMeans(base)),
      error: split([ofBlocks(base, baseVariance), ofBlocks(head, headVariance)], luck),
    };
  });
}

/**
 * The same for one boot of each side, whose blocks took turns: what drifts slowly cancels within a pair, and the
 * spread of the pairs' differences is what counts.
 */
export function pairedLogRatios(cells: readonly (readonly Pair[])[], noise: NoiseModel): readonly LogRatio[] {
  const differences = cells.map((pairs): Side => [pairs.map(([base, head]) => head - base)]);
  const ofPair = { variance: 2 * noise.block.variance, df: noise.block.df };
  const variances = blockVariances(
    differences.map((side) => [side]),
    ofPair,
  );
  return differences.map((side, cell) => {
    const [pair = ofPair] = variances[cell] ?? [];
    const run = runPrior(noise, pair.variance / 2);
    const luck = { variance: 2 * run.variance, df: run.df };
    return { estimate: mean(runMeans(side)), error: split([ofBlocks(side, pair)], luck) };
  });
}

function split(ofBlocks: readonly VarianceEstimate[], luck: VarianceEstimate): SplitError {
  return {
    ...addVariances([...ofBlocks, luck]),
    ofBlocks: ofBlocks.reduce((sum, { variance }) => sum + variance, 0),
  };
}

/** Two-sided interval for the log ratio. */
export function logInterval(ratio: LogRatio, level: number): { readonly low: number; readonly high: number } {
  const reach = studentQuantile((1 + level) / 2, ratio.error.df) * Math.sqrt(ratio.error.variance);
  return { low: ratio.estimate - reach, high: ratio.estimate + reach };
}

/** One-sided p value of "head's true value is not above base's". */
export function pAbove(ratio: LogRatio): number {
  return studentTail(ratio.estimate / Math.sqrt(ratio.error.variance), ratio.error.df);
}
