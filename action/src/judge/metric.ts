import type { MetricVerdict, Outcome } from '../model/verdict.ts';
import {
  logInterval,
  type NoiseOfSides,
  newcombe,
  reach,
  type ShareContrast,
  type ShareNoise,
  share,
  smallestVisible,
  smallestVisibleGrowth,
  studentQuantile,
  timesAsManyBlocks,
} from '../stats/index.ts';
import type { TimeContrast } from './contrast.ts';
import { type Adjusted, familyAlpha } from './family.ts';

/** Confidence level of every interval. */
const level = 0.95;

/** Times that a cell's smaller p value counts in its family while the other metric shows nothing. */
const timesPerCell = 2;

/** Above this a factor of e^w is beyond any measurement; the bound keeps it finite. */
const greatestLog = 300;

/** A loss that is as good as all of the TPS; of all of it there is no log. */
const wholeTps = 1 - Number.EPSILON;

export interface TimeLimits {
  /** Relative to base. */
  readonly tolerance: number;
  /** Growth of the time in ms (p95, or VUs / TPS) that does not count. */
  readonly floorMs: number;
  /** Base's time in ms: its p95, or VUs / TPS. */
  readonly baseMs: number;
}

/** How much is compared. */
export interface Size {
  /** Cells of the check, each of which counts in its family. */
  readonly cells: number;
  /** Blocks of head in this cell. */
  readonly blocks: number;
}

/** The outcome of a metric whose worsening is `regressed` or not. */
function outcomeOf(regressed: boolean, couldHaveSeen: boolean): Outcome {
  if (regressed) {
    return 'regression';
  }
  return couldHaveSeen ? 'pass' : 'inconclusive';
}

/**
 * The verdict on p95 or TPS. Everything is decided by the slowdown, the log of how much longer a request takes,
 * so that the two differ only in how they are told.
 */
export function judgeTime(
  contrast: TimeContrast,
  limits: TimeLimits,
  adjusted: Adjusted,
  { cells, blocks }: Size,
): MetricVerdict {
  const { metric, base, head, slowdown } = contrast;
  const { tolerance, floorMs, baseMs } = limits;
  const told = (log: number): number =>
    Math.expm1(Math.min(greatestLog, Math.max(-greatestLog, metric === 'p95' ? log : -log)));
  const worsening = (log: number): number => (metric === 'p95' ? told(log) : -told(log));
  const grownMs = (log: number): number => baseMs * Math.expm1(Math.min(greatestLog, log));
  // A time that grows by the floor: p95 grows by that share of it, TPS falls with the mean response time.
  const atFloor = worsening(Math.log1p(floorMs / baseMs));
  const limit = Math.max(tolerance, atFloor);
  const limitLog = metric === 'p95' ? Math.log1p(limit) : -Math.log1p(-Math.min(limit, wholeTps));
  const harmless = (log: number): boolean => worsening(log) <= limit;

  const { estimate, error } = slowdown;
  const alpha = familyAlpha / (cells * timesPerCell);
  const bounds = logInterval(slowdown, level);
  const visible = smallestVisible(error, alpha);
  const ends = [told(bounds.low), told(bounds.high)];
  const better = -worsening(estimate) > tolerance / 2 && -grownMs(estimate) > floorMs;
  const provedWorse = estimate > 0 && adjusted.worse < familyAlpha;
  const outcome = outcomeOf(!harmless(estimate) && provedWorse, harmless(bounds.high) || harmless(visible));
  const times = outcome === 'inconclusive' ? timesAsManyBlocks(error, alpha, limitLog) : undefined;
  return {
    metric,
    outcome,
    base,
    head,
    change: told(estimate),
    interval: { low: Math.min(...ends), high: Math.max(...ends), level },
    limit: metric === 'p95' ? limit : 0 - limit,
    limitFrom: atFloor > tolerance ? 'floor' : 'tolerance',
    smallestVisible: worsening(Math.max(visible, limitLog + reach(error))),
    ...rounds(blocks, times),
    adjustedP: adjusted.worse,
    provedWorse,
    belowFloor: worsening(estimate) > tolerance && grownMs(estimate) <= floorMs,
    improved: better && adjusted.better < familyAlpha,
  };
}

/** More blocks than this are not asked of anybody, and keep the number within what a verdict may hold. */
const mostRounds = 1000;

function rounds(blocks: number, times: number | undefined): { roundsNeeded?: number } {
  const needed = Math.ceil(blocks * (times ?? Number.POSITIVE_INFINITY));
  return needed > mostRounds ? {} : { roundsNeeded: Math.max(2, needed) };
}

/** How many times as many blocks could have shown a growth of the share by `tolerance`, in powers of the root of 2. */
function timesForErrors(
  q: number,
  noise: NoiseOfSides,
  alpha: number,
  tolerance: number,
): number | undefined {
  for (let times = Math.SQRT2; times <= mostRounds; times *= Math.SQRT2) {
    const fewer = ({ block, run }: ShareNoise): ShareNoise => ({ block: block / times, run });
    const withMore = { base: fewer(noise.base), head: fewer(noise.head), df: noise.df };
    if (smallestVisibleGrowth(q, withMore, alpha) <= tolerance) return times;
  }
  return undefined;
}

/** The verdict on the share of failed requests; all differences are of shares. */
export function judgeErrors(
  { noise, own }: ShareContrast,
  tolerance: number,
  adjusted: Adjusted,
  { cells, blocks }: Size,
): MetricVerdict {
  const { base, head, df } = own;
  const change = share(head) - share(base);
  const bounds = newcombe(base, head, studentQuantile((1 + level) / 2, df));
  const alpha = familyAlpha / cells;
  const visible = smallestVisibleGrowth(share(base), noise, alpha);
  const provedWorse = change > 0 && adjusted.worse < familyAlpha;
  const outcome = outcomeOf(
    change > tolerance && provedWorse,
    bounds.high <= tolerance || visible <= tolerance,
  );
  const times = outcome === 'inconclusive' ? timesForErrors(share(base), noise, alpha, tolerance) : undefined;
  return {
    metric: 'errorRate',
    outcome,
    base: share(base),
    head: share(head),
    change,
    interval: { ...bounds, level },
    limit: tolerance,
    limitFrom: 'tolerance',
    smallestVisible: smallestVisibleGrowth(share(base), noise, alpha, tolerance),
    ...rounds(blocks, times),
    adjustedP: adjusted.worse,
    provedWorse,
    belowFloor: false,
    improved: -change > tolerance / 2 && adjusted.better < familyAlpha,
  };
}
