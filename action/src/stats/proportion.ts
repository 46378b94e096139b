import { visiblePower } from './power.ts';
import { studentQuantile, studentTail } from './student-t.ts';
import { moderate, type VarianceEstimate } from './variance.ts';

/** Events among trials; `trials` may be a fraction, as an effective number is. */
export interface Count {
  readonly events: number;
  readonly trials: number;
}

export interface Bounds {
  readonly low: number;
  readonly high: number;
}

/**
 * How many times fewer independent trials there are than requests, at least: requests of one batch correlate by
 * 0.37, for which a design effect of 2.5 was measured (.github/adr/0003; Kish 1965).
 */
const leastDesignEffect = 2.5;

/** Degrees of freedom that all cells together, or the least design effect, are worth beside a cell's own blocks. */
const priorDf = 4;

export function share({ events, trials }: Count): number {
  return trials === 0 ? 0 : events / trials;
}

/**
 * The spread of blocks around their side's share, over what independent trials would show: Pearson's chi-squared
 * over its degrees of freedom. Nothing is learnt from sides without events, or with nothing else.
 */
function observedEffect(sides: readonly (readonly Count[])[]): VarianceEstimate {
  let chiSquared = 0;
  let df = 0;
  for (const blocks of sides) {
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
 * Design effect of every cell's counts, given by side and block, and how well it is known. Few blocks tell little
 * about it, so that a cell's own is drawn towards that of all cells together, and none is below the least.
 */
export function designEffects(
  cells: readonly (readonly (readonly Count[])[])[],
): readonly VarianceEstimate[] {
  const least = { variance: leastDesignEffect, df: priorDf };
  const own = cells.map(observedEffect);
  const all = own.reduce(moderate, least);
  const common = { variance: Math.max(leastDesignEffect, all.variance), df: priorDf };
  return own.map((effect) => {
    const { variance, df } = moderate(effect, common);
    return { variance: Math.max(leastDesignEffect, variance), df };
  });
}

export function total(counts: readonly Count[]): Count {
  return {
    events: counts.reduce((sum, { events }) => sum + events, 0),
    trials: counts.reduce((sum, { trials }) => sum + trials, 0),
  };
}

/** The count of independent trials that says as much. */
export function effective({ events, trials }: Count, deff: number): Count {
  return { events: events / deff, trials: trials / deff };
}

/** Wilson's (1927) score interval for a share, `z` standard errors to each side. */
export function wilson(count: Count, z: number): Bounds {
  const { trials } = count;
  if (trials === 0) {
    return { low: 0, high: 1 };
  }
  const p = share(count);
  const centre = p + z ** 2 / (2 * trials);
  const reach = z * Math.sqrt((p * (1 - p)) / trials + z ** 2 / (4 * trials ** 2));
  const scale = 1 + z ** 2 / trials;
  return { low: Math.max(0, (centre - reach) / scale), high: Math.min(1, (centre + reach) / scale) };
}

/** Newcombe's (1998) method 10 for share(head) - share(base): the two Wilson intervals, squared and added. */
export function newcombe(base: Count, head: Count, z: number): Bounds {
  if (base.trials === 0 || head.trials === 0) {
    return { low: -1, high: 1 };
  }
  const [p, q] = [share(head), share(base)];
  const [ofHead, ofBase] = [wilson(head, z), wilson(base, z)];
  return {
    low: p - q - Math.hypot(p - ofHead.low, ofBase.high - q),
    high: p - q + Math.hypot(ofHead.high - p, q - ofBase.low),
  };
}

/** Standard errors beyond which a p value is 0 for every purpose. */
const farthest = 1e6;

/**
 * One-sided p value of "head's share is not above base's": the level at which Newcombe's interval just touches
 * 0, so that value and interval never contradict each other. Student's t stands in for the normal distribution,
 * the design effect being an estimate with `df` degrees of freedom.
 */
export function pShareAbove(base: Count, head: Count, df: number): number {
  if (base.trials === 0 || head.trials === 0) {
    return 1;
  }
  const difference = share(head) - share(base);
  if (difference <= 0) {
    return difference === 0 ? 0.5 : 1 - pShareAbove(head, base, df);
  }
  let inside = 0;
  let outside = farthest;
  for (let step = 0; step < 80; step++) {
    const z = (inside + outside) / 2;
    if (newcombe(base, head, z).low > 0) {
      inside = z;
    } else {
      outside = z;
    }
  }
  return studentTail(inside, df);
}

/**
 * The smallest true growth of base's share that a one-sided test at `alpha` sees with 80% power, by the usual
 * two-sample formula (Fleiss 1981, chapter 3): pooled error under "no growth", separate ones under growth.
 */
export function smallestVisibleGrowth(base: Count, head: Count, alpha: number, df: number): number {
  if (base.trials === 0 || head.trials === 0) {
    return 1;
  }
  const q = share(base);
  const [ofTest, ofPower] = [studentQuantile(1 - alpha, df), studentQuantile(visiblePower, df)];
  const seen = (growth: number): boolean => {
    const p = Math.min(1, q + growth);
    const pooled = Math.min(1, (p * head.trials + q * base.trials) / (head.trials + base.trials));
    const none = Math.sqrt(pooled * (1 - pooled) * (1 / head.trials + 1 / base.trials));
    const some = Math.sqrt((p * (1 - p)) / head.trials + (q * (1 - q)) / base.trials);
    return growth > ofTest * none + ofPower * some;
  };
  let unseen = 0;
  let visible = 1 - q;
  if (!seen(visible)) {
    return 1;
  }
  for (let step = 0; step < 50; step++) {
    const growth = (unseen + visible) / 2;
    if (seen(growth)) {
      visible = growth;
    } else {
      unseen = growth;
    }
  }
  return visible;
}
