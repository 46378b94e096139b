import { mean } from 'simple-statistics';
import { type Calibration, mostCommonDf, noiseRatio, type Side } from './calibration.ts';
import { standardScore, studentQuantile, studentTail } from './student-t.ts';
import { addVariances, moderate, pooledVariance, scaled, type VarianceEstimate } from './variance.ts';

/** Squared standard error of a log ratio, by where it comes from. */
export interface ErrorParts {
  readonly blocks: VarianceEstimate;
  readonly boots: VarianceEstimate;
  readonly runs: VarianceEstimate;
}

/** Head against base on the log scale. */
export interface LogRatio {
  /** log(head / base). */
  readonly estimate: number;
  readonly error: ErrorParts;
}

/** One cell's runs of either side. */
export interface Sides {
  readonly base: Side;
  readonly head: readonly number[];
}

/** The logs of a base block and a head block that ran next to each other. */
export type Pair = readonly [base: number, head: number];

export function errorOf({ error }: LogRatio): VarianceEstimate {
  return addVariances([error.blocks, error.boots, error.runs]);
}

/** Share of a block's variance that is left in the mean over runs, each run weighted equally. */
function blockWeight(side: Side): number {
  return side.reduce((sum, blocks) => sum + 1 / blocks.length, 0) / side.length ** 2;
}

/** Every cell's difference between head's run and the mean of the stored runs. */
export function logRatios(cells: readonly Sides[], { blocks, boot, run }: Calibration): readonly LogRatio[] {
  const heads = cells.map(({ head }) => [head]);
  // A calm head is not credited, since a regression often brings noise of its own.
  const factor = Math.max(1, noiseRatio(heads, blocks, mostCommonDf));
  return cells.map(({ base, head }, cell) => {
    const block = blocks[cell] ?? { variance: 0, df: 1 };
    const runs = 1 + 1 / base.length;
    return {
      estimate: mean([...head]) - mean(base.map((levels) => mean([...levels]))),
      error: {
        blocks: scaled(block, blockWeight(base) + factor / head.length),
        boots: scaled(boot, runs),
        runs: scaled(run, runs),
      },
    };
  });
}

/**
 * The same for one boot of each side, whose blocks took turns: what drifts slowly cancels within a pair. `boot` and
 * `run` are what boots of one hour differ by.
 */
export function pairedLogRatios(
  cells: readonly (readonly Pair[])[],
  { blocks, boot, run }: Calibration,
): readonly LogRatio[] {
  const differences = cells.map((pairs) => pairs.map(([base, head]) => head - base));
  const ofPairs = blocks.map((block) => scaled(block, 2));
  return differences.map((values, cell) => {
    const others = differences.toSpliced(cell, 1);
    const { variance, df } = ofPairs[cell] ?? { variance: 0, df: 1 };
    const ratio = noiseRatio(
      others.map((side) => [side]),
      ofPairs.toSpliced(cell, 1),
      df,
    );
    const known = df + others.reduce((sum, { length }) => sum + length - 1, 0);
    const expected = { variance: ratio * variance, df: Math.min(mostCommonDf, known) };
    return {
      estimate: mean(values),
      error: {
        blocks: scaled(moderate(pooledVariance([values]), expected), 1 / values.length),
        boots: scaled(boot, 2),
        runs: scaled(run, 2),
      },
    };
  });
}

/** The mean of several cells' ratios. What all cells of a run share does not shrink. */
export function poolRatios(ratios: readonly LogRatio[]): LogRatio {
  const count = ratios.length;
  const sum = (part: keyof ErrorParts) => ratios.reduce((all, { error }) => all + error[part].variance, 0);
  // The cells vouch for one another, so together they are known no better than the best known of them.
  const df = (part: keyof ErrorParts) => Math.max(...ratios.map(({ error }) => error[part].df));
  return {
    estimate: mean(ratios.map(({ estimate }) => estimate)),
    error: {
      blocks: { variance: sum('blocks') / count ** 2, df: df('blocks') },
      boots: { variance: sum('boots') / count ** 2, df: df('boots') },
      runs: { variance: sum('runs') / count, df: df('runs') },
    },
  };
}

/** Beyond this standard score, two measurements of one difference contradict each other. */
const contradiction = 2.6;

/**
 * Two independent measurements of one difference, weighted by their precision. Where they contradict each other, the
 * first one compared two hours and was misled by them, so the second one stands alone.
 */
export function combineRatios(first: LogRatio, second: LogRatio): LogRatio {
  const apart = Math.abs(first.estimate - second.estimate);
  const error = addVariances([errorOf(first), errorOf(second)]);
  if (standardScore(studentTail(apart / Math.sqrt(error.variance), error.df)) > contradiction) return second;
  const [a, b] = [1 / errorOf(first).variance, 1 / errorOf(second).variance];
  const part = (name: keyof ErrorParts) =>
    addVariances([
      scaled(first.error[name], (a / (a + b)) ** 2),
      scaled(second.error[name], (b / (a + b)) ** 2),
    ]);
  return {
    estimate: (a * first.estimate + b * second.estimate) / (a + b),
    error: { blocks: part('blocks'), boots: part('boots'), runs: part('runs') },
  };
}

/** Two-sided interval for the log ratio. */
export function logInterval(ratio: LogRatio, level: number): { readonly low: number; readonly high: number } {
  const { variance, df } = errorOf(ratio);
  const reach = studentQuantile((1 + level) / 2, df) * Math.sqrt(variance);
  return { low: ratio.estimate - reach, high: ratio.estimate + reach };
}

/** The estimate in standard errors, as a standard normal value with the same one-sided p value. */
export function scoreOf(ratio: LogRatio): number {
  const { variance, df } = errorOf(ratio);
  return standardScore(studentTail(ratio.estimate / Math.sqrt(variance), df));
}
