import { moderate, pooledVariance, type VarianceEstimate } from './variance.ts';

/** Runs of one side, each the natural logs of its blocks' values; no run is empty. */
export type Side = readonly (readonly number[])[];

/**
 * How much noisier than expected the cells were, all of them together: a machine that is busy today disturbs every
 * cell, and six cells of three blocks show it where three blocks cannot. Drawn towards 1, and never below it: calm
 * is not credited, so that what was expected stays the least.
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

function raised({ variance, df }: VarianceEstimate, factor: number): VarianceEstimate {
  return { variance: variance * factor, df };
}

/**
 * The variance between blocks, for every cell and each of its sides. Three blocks alone say little, so each estimate is
 * moderated by a wider one (Smyth 2004). A side's own blocks shrink towards the cell's, raised by the side's noise over
 * all cells. The cell's shrink towards the prior, raised by the noise of the whole check. A regression often brings noise
 * of its own, which the calm history of base would hide if both sides had one variance.
 */
export function blockVariances(
  cells: readonly (readonly Side[])[],
  prior: VarianceEstimate,
): readonly (readonly VarianceEstimate[])[] {
  const pooled = cells.map((sides) => pooledVariance(sides.flat()));
  const ofCheck = noiseFactor(
    pooled,
    pooled.map(() => prior),
    prior.df,
  );
  const expected = pooled.map((cell) => moderate(cell, raised(prior, ofCheck)));
  const observed = cells.map((sides) => sides.map(pooledVariance));
  const ofSides = (cells[0] ?? []).map((_, side) =>
    noiseFactor(
      observed.flatMap((sides) => sides[side] ?? []),
      expected,
      prior.df,
    ),
  );
  return observed.map((sides, cell) =>
    sides.map((own, side) => {
      const { variance } = raised(expected[cell] ?? prior, ofSides[side] ?? 1);
      return moderate(own, { variance, df: prior.df });
    }),
  );
}
