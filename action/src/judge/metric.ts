import type { MetricVerdict, Outcome } from '../model/verdict.ts';
import type { ShareContrast } from '../stats/design-effect.ts';
import { logInterval } from '../stats/log-ratio.ts';
import { smallestVisible } from '../stats/power.ts';
import { newcombe, share, smallestVisibleGrowth } from '../stats/proportion.ts';
import { studentQuantile } from '../stats/student-t.ts';
import type { TimeContrast } from './contrast.ts';
import { type Adjusted, familyAlpha } from './family.ts';

/** Confidence level of every interval. */
const level = 0.95;

/** Times that a cell's smaller p value counts in its family while the other metric shows nothing. */
const timesPerCell = 2;

/** Above this a factor of e^w is beyond any measurement; the bound keeps it finite. */
const greatestLog = 300;

export interface TimeLimits {
  /** Relative to base. */
  readonly tolerance: number;
  /** Growth of the time in ms (p95, or mean response time for TPS) that does not count. */
  readonly floorMs: number;
  /** Base's time in ms: its p95, or VUs / TPS. */
  readonly baseMs: number;
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
 * so that the two differ only in how they are told. `cells` is how many are compared at once.
 */
export function judgeTime(
  contrast: TimeContrast,
  limits: TimeLimits,
  adjusted: Adjusted,
  cells: number,
): MetricVerdict {
  const { metric, base, head, slowdown } = contrast;
  const { tolerance, floorMs, baseMs } = limits;
  const told = (log: number): number =>
    Math.expm1(Math.min(greatestLog, Math.max(-greatestLog, metric === 'p95' ? log : -log)));
  const worsening = (log: number): number => (metric === 'p95' ? told(log) : -told(log));
  const grownMs = (log: number): number => baseMs * Math.expm1(Math.min(greatestLog, log));
  const harmless = (log: number): boolean => worsening(log) <= tolerance || grownMs(log) <= floorMs;

  const { estimate } = slowdown;
  const bounds = logInterval(slowdown, level);
  const visible = smallestVisible(slowdown.error, familyAlpha / (cells * timesPerCell));
  const ends = [told(bounds.low), told(bounds.high)];
  const better = -worsening(estimate) > tolerance / 2 && -grownMs(estimate) > floorMs;
  return {
    metric,
    outcome: outcomeOf(
      !harmless(estimate) && adjusted.worse < familyAlpha,
      harmless(bounds.high) || harmless(visible),
    ),
    base,
    head,
    change: told(estimate),
    interval: { low: Math.min(...ends), high: Math.max(...ends), level },
    limit: metric === 'p95' ? tolerance : -tolerance,
    smallestVisible: worsening(visible),
    adjustedP: adjusted.worse,
    belowFloor: worsening(estimate) > tolerance && grownMs(estimate) <= floorMs,
    improved: better && adjusted.better < familyAlpha,
  };
}

/** The verdict on the share of failed requests; all differences are of shares. */
export function judgeErrors(
  { noise, own }: ShareContrast,
  tolerance: number,
  adjusted: Adjusted,
  cells: number,
): MetricVerdict {
  const { base, head, df } = own;
  const change = share(head) - share(base);
  const bounds = newcombe(base, head, studentQuantile((1 + level) / 2, df));
  const visible = smallestVisibleGrowth(share(base), noise, familyAlpha / cells);
  const couldHaveSeen = bounds.high <= tolerance || visible <= tolerance;
  return {
    metric: 'errorRate',
    outcome: outcomeOf(change > tolerance && adjusted.worse < familyAlpha, couldHaveSeen),
    base: share(base),
    head: share(head),
    change,
    interval: { ...bounds, level },
    limit: tolerance,
    smallestVisible: visible,
    adjustedP: adjusted.worse,
    belowFloor: false,
    improved: -change > tolerance / 2 && adjusted.better < familyAlpha,
  };
}
