import { sampleVariance } from 'simple-statistics';
import {
  type Count,
  effective,
  type NoiseOfSides,
  type ShareNoise,
  share,
  spread,
  total,
} from './proportion.ts';
import { addVariances, moderate, type VarianceEstimate } from './variance.ts';

/** Runs of one side of a cell, each the counts of its blocks. */
export type CountedRuns = readonly (readonly Count[])[];

export interface CountedSides {
  readonly base: CountedRuns;
  readonly head: CountedRuns;
}

/** Both sides as so many independent trials as would say as much. */
export interface EffectiveSides {
  readonly base: Count;
  readonly head: Count;
  /** Degrees of freedom with which their number is known. */
  readonly df: number;
}

/** One cell's shares, and how far chance reaches. */
export interface ShareContrast {
  /**
   * Head taken to scatter within a run as base does, which is what "nothing changed" means: for the test. Head's own
   * scatter must not excuse it: a change that makes requests fail seldom makes as many fail in every block.
   */
  readonly unchanged: EffectiveSides;
  /** The noise behind that. */
  readonly noise: NoiseOfSides;
  /** Each side by its own scatter: for the interval. */
  readonly own: EffectiveSides;
}

/** What the same shares would show with so many times the blocks on either side. Runs would differ as they do. */
export function withBlocks(
  { own, noise }: Pick<ShareContrast, 'own' | 'noise'>,
  times: number,
): Pick<ShareContrast, 'own' | 'noise'> {
  const quieter = ({ block, run }: ShareNoise) => ({ block: block / times, run });
  const [base, head] = [quieter(noise.base), quieter(noise.head)];
  const more = (count: Count, before: ShareNoise, after: ShareNoise): Count => {
    const gain = effective(count, after).trials / effective(count, before).trials;
    return { events: count.events * gain, trials: count.trials * gain };
  };
  return {
    own: { base: more(own.base, noise.base, base), head: more(own.head, noise.head, head), df: own.df },
    noise: { base, head, df: noise.df },
  };
}

/**
 * How many times fewer independent trials there are than requests, at least: requests of one batch correlate by
 * 0.37, for which a design effect of 2.5 was measured (.github/adr/0003; Kish 1965).
 */
export const leastDesignEffect = 2.5;

/** Degrees of freedom of every prior, as in `noise-model.ts`. */
const priorDf = 4;

/** Runs of unchanged code are taken to differ by 30% of their error rate until three of them say otherwise. */
const runPrior: VarianceEstimate = { variance: 0.3 ** 2, df: priorDf };

/** Fewer runs than this say too little about how runs differ. */
const historyRuns = 3;

/** A logit that varies by more is no rate any more; the bound keeps all that follows finite. */
const greatestRunVariance = 100;

/**
 * The spread of blocks around their run's share, over what independent trials would show: Pearson's chi-squared
 * over its degrees of freedom. Nothing is learnt from runs without events, or with nothing else.
 */
function observedEffect(runs: CountedRuns): VarianceEstimate {
  let chiSquared = 0;
  let df = 0;
  for (const blocks of runs) {
    const p = share(total(blocks));
    const counted = blocks.filter(({ trials }) => trials > 0);
    if (p === 0 || p === 1 || counted.length < 2) {
      continue;
    }
    for (const { events, trials } of counted) {
      chiSquared += (events - trials * p) ** 2 / (trials * p * (1 - p));
    }
    df += counted.length - 1;
  }
  return { variance: df === 0 ? 0 : chiSquared / df, df };
}

/**
 * Design effect within a run of one side, for every cell, and how well it is known. Few blocks tell little about it,
 * so that a cell's own is drawn towards that of all cells together, and none is below the least.
 */
export function designEffects(cells: readonly CountedRuns[]): readonly VarianceEstimate[] {
  const least = { variance: leastDesignEffect, df: priorDf };
  const own = cells.map(observedEffect);
  const all = own.reduce(moderate, least);
  const common = { variance: Math.max(leastDesignEffect, all.variance), df: priorDf };
  return own.map((effect) => {
    const { variance, df } = moderate(effect, common);
    return { variance: Math.max(leastDesignEffect, variance), df };
  });
}

/**
 * How much the logit of the share differs between runs beyond what their blocks explain, by the method of moments,
 * drawn towards the prior (Williams 1982, model III). Below three runs the prior alone stands.
 */
export function runVariance(runs: CountedRuns, block: VarianceEstimate): VarianceEstimate {
  const totals = runs.map(total).filter(({ trials }) => trials > 0);
  const all = total(totals);
  if (totals.length < historyRuns || all.events === 0 || all.events === all.trials) {
    return runPrior;
  }
  const unit = spread(all);
  const explained =
    totals.reduce((sum, { trials }) => sum + (block.variance * unit) / trials, 0) / totals.length;
  const between = Math.max(0, sampleVariance(totals.map(share)) - explained) / unit ** 2;
  return moderate({ variance: Math.min(greatestRunVariance, between), df: totals.length - 1 }, runPrior);
}

/** What the blocks and the runs of one side leave in its share. */
function sideNoise(runs: CountedRuns, block: VarianceEstimate, run: VarianceEstimate): ShareNoise {
  const sizes = runs.map((blocks) => total(blocks).trials);
  // Without any request the share is known as if there had been one.
  const trials = Math.max(1, total(runs.flat()).trials);
  // Kish (1965): runs of unequal size count as runs of their size-weighted mean.
  const size = sizes.reduce((all, one) => all + one * (one / trials), 0);
  return { block: block.variance / trials, run: (run.variance * size) / trials };
}

function contrastOf(
  { base, head }: CountedSides,
  baseEffect: VarianceEstimate,
  headEffect: VarianceEstimate,
): ShareContrast {
  const [before, after] = [total(base.flat()), total(head.flat())];
  const run = runVariance(base, baseEffect);
  const [atBase, atHead] = [spread(before), spread(after)];
  const known = sideNoise(base, baseEffect, run);
  const same = sideNoise(head, baseEffect, run);
  const own = sideNoise(head, headEffect, run);
  /** Degrees of freedom of the difference, if head has that noise. */
  const dfOf = (noise: ShareNoise, ofBlocks: readonly VarianceEstimate[]): number => {
    const ofRuns = known.run * atBase ** 2 + noise.run * atHead ** 2;
    return addVariances([...ofBlocks, { variance: ofRuns, df: run.df }]).df;
  };
  const sides = (noise: ShareNoise, df: number): EffectiveSides => ({
    base: effective(before, known),
    head: effective(after, noise),
    df,
  });
  const df = dfOf(same, [{ variance: known.block * atBase + same.block * atHead, df: baseEffect.df }]);
  const ownDf = dfOf(own, [
    { variance: known.block * atBase, df: baseEffect.df },
    { variance: own.block * atHead, df: headEffect.df },
  ]);
  return { unchanged: sides(same, df), noise: { base: known, head: same, df }, own: sides(own, ownDf) };
}

/**
 * Every cell's shares, by the design effect that they have within a run and the one that runs add: dividing counts
 * by it makes them independent ones (Rao and Scott 1992).
 */
export function contrastShares(cells: readonly CountedSides[]): readonly ShareContrast[] {
  const baseEffect = designEffects(cells.map(({ base }) => base));
  const headEffect = designEffects(cells.map(({ head }) => head));
  const least = { variance: leastDesignEffect, df: priorDf };
  return cells.map((cell, index) => contrastOf(cell, baseEffect[index] ?? least, headEffect[index] ?? least));
}
