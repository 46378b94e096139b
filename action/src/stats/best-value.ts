import { studentQuantile } from './student-t.ts';

/** The logarithm of a figure where more is better, one per boot, in the order of the passes: the same number for every value. */
export type LogFigures = readonly (readonly number[])[];

export interface ValueContrast {
  /** Log ratio to the best value: 0 for the best itself, else below 0. */
  readonly logRatio: number;
  /** Half width of its simultaneous interval, in log units. */
  readonly halfWidth: number;
  /** Whether the interval reaches above the tolerance, so that the value is not proved to be worse by more. */
  readonly asGood: boolean;
}

export interface BestValue {
  /** Index of the value with the highest mean. */
  readonly best: number;
  readonly contrasts: readonly ValueContrast[];
  /** Whether any value is proved to differ from the best at all. */
  readonly differs: boolean;
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, one) => sum + one, 0) / values.length;

const confidence = 0.95;

/**
 * Compares values within passes: a two-way layout without interaction, whose residuals between boots give the error.
 * The intervals hold for all pairs at once (Bonferroni), because the best is chosen after the measurement.
 * Montgomery, Design and Analysis of Experiments, randomised complete block design. Needs two values and two passes.
 *
 * @param tolerance share of the figure by which a value may be worse and still be as good, 0 to 1
 */
export function bestValue(figures: LogFigures, tolerance: number): BestValue {
  const passes = figures[0]?.length ?? 0;
  const means = figures.map(meanOf);
  const passMeans = Array.from({ length: passes }, (_, pass) =>
    meanOf(figures.map((row) => row[pass] ?? Number.NaN)),
  );
  const centre = meanOf(means);
  const squares = figures.flatMap((row, value) =>
    row.map((one, pass) => (one - (means[value] ?? 0) - (passMeans[pass] ?? 0) + centre) ** 2),
  );
  const df = (figures.length - 1) * (passes - 1);
  const variance = squares.reduce((sum, one) => sum + one, 0) / df;
  const pairs = (figures.length * (figures.length - 1)) / 2;
  const halfWidth =
    studentQuantile(1 - (1 - confidence) / (2 * pairs), df) * Math.sqrt((2 * variance) / passes);
  const highest = Math.max(...means);
  const best = means.indexOf(highest);
  const contrasts = means.map((mean, value) => ({
    logRatio: mean - highest,
    halfWidth: value === best ? 0 : halfWidth,
    asGood: value === best || mean - highest + halfWidth >= Math.log1p(-tolerance),
  }));
  return { best, contrasts, differs: contrasts.some((one) => one.logRatio + one.halfWidth < 0) };
}
