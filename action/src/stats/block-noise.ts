import { moderate, pooledVariance, type VarianceEstimate } from './variance.ts';

/** Runs of one side, each the natural logs of its blocks' values; no run is empty. */
export type Side = readonly (readonly number[])[];

/**
 * How much noisier than its cells' own expectation one side was, over all cells at once: a machine that is busy
 * today disturbs every cell, and six cells of three blocks show it where three blocks cannot. Drawn towards 1,
 * and never below it: calm is not credited, so that the prior stays the least.
 */
function noiseFactor(
  observed: readonly VarianceEstimate[],
  expected: readonly VarianceEstimate[],
  priorDf: number,
): number {
  let df = 0;
  let sum = 0;
  for (const [cell, own] of observed.entries()) {
    df += own.df;
    sum += (own.df * own.variance) / (expected[cell]?.variance ?? 1);
  }
  const ratio = { variance: df === 0 ? 1 : sum / df, df };
  return Math.max(1, moderate(ratio, { variance: 1, df: priorDf }).variance);
}

/**
 * The variance between blocks, for every cell and each of its sides. Three blocks alone say little, so it is
 * drawn towards ever wider knowledge, by moderated variances (Smyth 2004) all the way: a side's own blocks,
 * towards the cell's over all sides times the side's noise over all cells; the cell's, towards the prior. A
 * regression often brings noise of its own, which the calm history of base would hide if one variance served both.
 */
export function blockVariances(
  cells: readonly (readonly Side[])[],
  prior: VarianceEstimate,
): readonly (readonly VarianceEstimate[])[] {
  const expected = cells.map((sides) => moderate(pooledVariance(sides.flat()), prior));
  const observed = cells.map((sides) => sides.map(pooledVariance));
  const factors = (cells[0] ?? []).map((_, side) =>
    noiseFactor(
      observed.flatMap((sides) => sides[side] ?? []),
      expected,
      prior.df,
    ),
  );
  return observed.map((sides, cell) =>
    sides.map((own, side) => {
      const variance = (expected[cell]?.variance ?? prior.variance) * (factors[side] ?? 1);
      return moderate(own, { variance, df: prior.df });
    }),
  );
}
