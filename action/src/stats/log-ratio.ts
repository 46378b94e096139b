import { mean, sampleVariance } from 'simple-statistics';
import type { NoiseModel } from './noise-model.ts';
import { studentQuantile, studentTail } from './student-t.ts';
import { addVariances, moderate, pooledVariance, type VarianceEstimate } from './variance.ts';

/** Runs of one side, each the natural logs of its blocks' values; no run is empty. */
export type Side = readonly (readonly number[])[];

/** Head against base on the log scale. */
export interface LogRatio {
  /** log(head / base). */
  readonly estimate: number;
  /** Squared standard error of the estimate. */
  readonly error: VarianceEstimate;
}

/** Fewer runs than this say too little about how runs differ. */
const historyRuns = 3;

function runMeans(side: Side): number[] {
  return side.map((blocks) => mean([...blocks]));
}

/** Share of a block's variance that is left in the mean over runs, each run weighted equally. */
function blockWeight(side: Side): number {
  return side.reduce((sum, blocks) => sum + 1 / blocks.length, 0) / side.length ** 2;
}

/**
 * How much runs differ beyond what their blocks explain (method of moments, Kalibera and Jones 2013, section 6),
 * drawn towards the prior. The side with more runs tells; below three runs the prior alone stands.
 */
function runVariance(
  sides: readonly Side[],
  block: VarianceEstimate,
  prior: VarianceEstimate,
): VarianceEstimate {
  const observed = sides
    .filter((side) => side.length >= historyRuns)
    .map((side) => ({
      variance: Math.max(
        0,
        sampleVariance(runMeans(side)) - block.variance * blockWeight(side) * side.length,
      ),
      df: side.length - 1,
    }));
  return observed.reduce(moderate, prior);
}

/**
 * The sides' difference and its error, from three parts: head's blocks, base's blocks, and what a run's blocks
 * cannot show because all of them share its boot (and host). Blocks are drawn together over both sides and the
 * prior, then each side's own variance towards that: a regression often comes with noise of its own, which the
 * base's calm history must not hide.
 */
export function logRatio(base: Side, head: Side, noise: NoiseModel): LogRatio {
  const block = moderate(pooledVariance([...base, ...head]), noise.block);
  const sidePrior = { variance: block.variance, df: noise.block.df };
  const between = runVariance([base, head], block, noise.run);
  const parts = [base, head].map((side) => {
    const own = moderate(pooledVariance(side), sidePrior);
    return { variance: own.variance * blockWeight(side), df: own.df };
  });
  const luck = { variance: between.variance * (1 / base.length + 1 / head.length), df: between.df };
  return { estimate: mean(runMeans(head)) - mean(runMeans(base)), error: addVariances([...parts, luck]) };
}

/** The logs of a base block and a head block that ran next to each other. */
export type Pair = readonly [base: number, head: number];

/**
 * The same for one boot of each side, whose blocks took turns: what drifts slowly cancels within a pair, and the
 * spread of the pairs' differences is what counts.
 */
export function pairedLogRatio(pairs: readonly Pair[], noise: NoiseModel): LogRatio {
  const differences = pairs.map(([base, head]) => head - base);
  const pair = moderate(pooledVariance([differences]), {
    variance: 2 * noise.block.variance,
    df: noise.block.df,
  });
  const blocks = { variance: pair.variance / differences.length, df: pair.df };
  const luck = { variance: 2 * noise.run.variance, df: noise.run.df };
  return { estimate: mean(differences), error: addVariances([blocks, luck]) };
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
