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
  /**
   * The error of the blocks with all of their own scatter. The test takes less of it, so that a block that hangs does not
   * excuse itself; the interval takes all.
   */
  readonly scattered: VarianceEstimate;
}

/** One cell's runs of either side. */
export interface Sides {
  readonly base: Side;
  readonly head: readonly number[];
}

/** The logs of a base block and a head block that ran next to each other. */
export type Pair = readonly [base: number, head: number];

export function errorOf({ error }: Pick<LogRatio, 'error'>): VarianceEstimate {
  return addVariances([error.blocks, error.boots, error.runs]);
}

/** The error with which the ratio is known, for intervals and for what would have been noticed. */
export function intervalErrorOf({ error, scattered }: LogRatio): VarianceEstimate {
  return addVariances([scattered, error.boots, error.runs]);
}

/** A cell's own blocks count as this many times noisier than calibrated, at most. */
const mostScatter = 9;

/** Share of a block's variance that is left in the mean over runs, each run weighted equally. */
function blockWeight(side: Side): number {
  return side.reduce((sum, blocks) => sum + 1 / blocks.length, 0) / side.length ** 2;
}

/** How much noisier these blocks are than calibrated, drawn towards 1. */
function ownFactor(blocks: readonly number[], { variance }: VarianceEstimate, most: number): number {
  const own = pooledVariance([blocks]);
  const ratio = { variance: Math.min(most, own.variance / variance), df: own.df };
  return own.df === 0 ? 1 : moderate(ratio, { variance: 1, df: mostCommonDf }).variance;
}

/** Every cell's difference between head's run and the mean of the stored runs. */
export function logRatios(cells: readonly Sides[], { blocks, boot, run }: Calibration): readonly LogRatio[] {
  const heads = cells.map(({ head }) => [head]);
  // A calm head is not credited, since a regression often brings noise of its own.
  const factor = Math.max(1, noiseRatio(heads, blocks, mostCommonDf));
  return cells.map(({ base, head }, cell) => {
    const block = blocks[cell] ?? { variance: 0, df: 1 };
    const runs = 1 + 1 / base.length;
    const withFactor = (most: number) =>
      scaled(block, blockWeight(base) + Math.max(factor, ownFactor(head, block, most)) / head.length);
    return {
      estimate: mean([...head]) - mean(base.map((levels) => mean([...levels]))),
      error: {
        blocks: withFactor(mostScatter),
        boots: scaled(boot, runs),
        runs: scaled(run, runs),
      },
      scattered: withFactor(Number.POSITIVE_INFINITY),
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
    const own = pooledVariance([values]);
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
        blocks: scaled(
          moderate({ ...own, variance: Math.min(own.variance, mostScatter * variance) }, expected),
          1 / values.length,
        ),
        boots: scaled(boot, 2),
        runs: scaled(run, 2),
      },
      scattered: scaled(moderate(own, expected), 1 / values.length),
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
    scattered: {
      variance: ratios.reduce((all, { scattered }) => all + scattered.variance, 0) / count ** 2,
      df: Math.max(...ratios.map(({ scattered }) => scattered.df)),
    },
  };
}

/** Beyond this standard score, two measurements of one difference contradict each other. */
const contradiction = 2.6;

/**
 * Two independent measurements of one difference, weighted by their precision. Where they contradict each other, the
 * second one stands alone: the first one was chosen because it looked worse, and mostly compared two hours.
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
    scattered: addVariances([
      scaled(first.scattered, (a / (a + b)) ** 2),
      scaled(second.scattered, (b / (a + b)) ** 2),
    ]),
  };
}

/** Two-sided interval for the log ratio. */
export function logInterval(ratio: LogRatio, level: number): { readonly low: number; readonly high: number } {
  const { variance, df } = intervalErrorOf(ratio);
  const reach = studentQuantile((1 + level) / 2, df) * Math.sqrt(variance);
  return { low: ratio.estimate - reach, high: ratio.estimate + reach };
}

/** The estimate in standard errors, as a standard normal value with the same one-sided p value. */
export function scoreOf(ratio: LogRatio): number {
  const { variance, df } = errorOf(ratio);
  return standardScore(studentTail(ratio.estimate / Math.sqrt(variance), df));
}
