import { caughtPower } from './power.ts';
import { studentQuantile, studentTail } from './student-t.ts';

/** Events among trials; `trials` may be a fraction, as an effective number is. */
export interface Count {
  readonly events: number;
  readonly trials: number;
}

/** What chance does to a share p, whose variance is block p (1 - p) + run (p (1 - p))^2 (Williams 1982). */
export interface ShareNoise {
  /** 1 / n for n independent trials, times the design effect of blocks. */
  readonly block: number;
  /** Runs differ in proportion to their share: the variance of its logit, over the number of runs. */
  readonly run: number;
}

/** The noise of either side. */
export interface NoiseOfSides {
  readonly base: ShareNoise;
  readonly head: ShareNoise;
  /** Degrees of freedom with which it is known. */
  readonly df: number;
}

export interface Bounds {
  readonly low: number;
  readonly high: number;
}

export function share({ events, trials }: Count): number {
  return trials === 0 ? 0 : events / trials;
}

export function total(counts: readonly Count[]): Count {
  return {
    events: counts.reduce((sum, { events }) => sum + events, 0),
    trials: counts.reduce((sum, { trials }) => sum + trials, 0),
  };
}

/** p (1 - p), with half an event on either side, so that a share seen to be 0 is not taken to vary by nothing. */
export function spread({ events, trials }: Count): number {
  const p = (events + 0.5) / (trials + 1);
  return p * (1 - p);
}

/** The count of independent trials that says as much (Rao and Scott 1992). */
export function effective(count: Count, { block, run }: ShareNoise): Count {
  const trials = 1 / (block + run * spread(count));
  return { events: trials * share(count), trials };
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
  const [headInterval, baseInterval] = [wilson(head, z), wilson(base, z)];
  return {
    low: p - q - Math.hypot(p - headInterval.low, baseInterval.high - q),
    high: p - q + Math.hypot(headInterval.high - p, q - baseInterval.low),
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
 * The smallest true growth of base's share that a one-sided test at `alpha` sees with 95% power, by the usual
 * two-sample formula (Fleiss 1981, chapter 3): pooled error under "no growth", separate ones under growth. What runs
 * add under "no growth" is taken at the geometric mean of both, as Wilson's interval of head has it. The estimate has
 * to be beyond `limit` as well.
 */
export function smallestVisibleGrowth(
  q: number,
  { base, head, df }: NoiseOfSides,
  alpha: number,
  limit = 0,
): number {
  const [ofTest, ofPower] = [studentQuantile(1 - alpha, df), studentQuantile(caughtPower, df)];
  const seen = (growth: number): boolean => {
    const p = Math.min(1, q + growth);
    // The side with less noise weighs more, as the larger sample does.
    const pooled = (p * base.block + q * head.block) / (base.block + head.block);
    const [baseVariance, headVariance] = [q * (1 - q), p * (1 - p)];
    const none = Math.sqrt(
      pooled * (1 - pooled) * (base.block + head.block) + baseVariance * headVariance * (base.run + head.run),
    );
    const some = Math.sqrt(
      baseVariance * (base.block + base.run * baseVariance) +
        headVariance * (head.block + head.run * headVariance),
    );
    return growth > Math.max(ofTest * none, limit) + ofPower * some;
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
