import { type MetricName, metricNames, metrics } from '../model/metric.ts';
import type { Cell } from '../model/run.ts';
import type { MetricVerdict, Outcome } from '../model/verdict.ts';
import {
  logInterval,
  type NoiseOfSides,
  newcombe,
  reach,
  type ShareNoise,
  share,
  smallestVisible,
  smallestVisibleGrowth,
  studentQuantile,
  timesAsManyBlocks,
} from '../stats/index.ts';
import {
  type CellContrast,
  type ComparisonSetup,
  contrastCells,
  type Match,
  type RatioContrast,
  type ShareDifference,
} from './contrast.ts';
import { type Adjusted, type AdjustedCell, adjustFamilies, familyAlpha } from './family.ts';
import type { JudgeOptions } from './options.ts';

/** Confidence level of every interval. */
const level = 0.95;

/** Above this a factor of e^w is beyond any measurement; the bound keeps it finite. */
const greatestLog = 300;

/** A loss that is as good as everything; a loss of everything has no log. */
const whole = 1 - Number.EPSILON;

/** What a verdict on a metric takes into account in addition to the contrast. */
interface Limits {
  readonly tolerance: number;
  /** Virtual users of the cell. */
  readonly vus: number;
  /** Blocks of head in the cell. */
  readonly blocks: number;
}

interface RatioLimits extends Limits {
  /** A worsening by less than these milliseconds does not count. */
  readonly floorMs: number;
}

/** The outcome of a metric whose worsening is `regressed` or not. */
function outcomeOf(regressed: boolean, couldHaveSeen: boolean): Outcome {
  if (regressed) return 'regression';
  return couldHaveSeen ? 'pass' : 'coarse';
}

/**
 * The verdict on a metric of the ratio scale. The log of the worsening decides everything, so a metric that is worse
 * when it falls differs only in how its figures are reported.
 */
function judgeRatio(contrast: RatioContrast, limits: RatioLimits, adjusted: Adjusted): MetricVerdict {
  const { metric, base, head } = contrast;
  const { worse, floor } = metrics[metric];
  const { tolerance, floorMs, vus, blocks } = limits;
  const baseMs = floor.baseMs(base, vus);
  const rises = worse === 'higher';
  const changeOf = (log: number): number =>
    Math.expm1(Math.min(greatestLog, Math.max(-greatestLog, rises ? log : -log)));
  const worsening = (log: number): number => (rises ? changeOf(log) : -changeOf(log));
  const grownMs = (log: number): number => baseMs * Math.expm1(Math.min(greatestLog, log));
  const atFloor = worsening(Math.log1p(floorMs / baseMs));
  const limit = Math.max(tolerance, atFloor);
  const limitLog = rises ? Math.log1p(limit) : -Math.log1p(-Math.min(limit, whole));
  const harmless = (log: number): boolean => worsening(log) <= limit;

  const { estimate, error } = contrast.worsening;
  const bounds = logInterval(contrast.worsening, level);
  const visible = smallestVisible(error, adjusted.alpha);
  const ends = [changeOf(bounds.low), changeOf(bounds.high)];
  const better = -worsening(estimate) > tolerance / 2 && -grownMs(estimate) > floorMs;
  const provedWorse = estimate > 0 && adjusted.worse < familyAlpha;
  const outcome = outcomeOf(!harmless(estimate) && provedWorse, harmless(bounds.high) || harmless(visible));
  const times = outcome === 'coarse' ? timesAsManyBlocks(error, adjusted.alpha, limitLog) : undefined;
  return {
    metric,
    outcome,
    base,
    head,
    change: changeOf(estimate),
    interval: { low: Math.min(...ends), high: Math.max(...ends), level },
    limit: rises ? limit : 0 - limit,
    limitFrom: atFloor > tolerance ? 'floor' : 'tolerance',
    smallestVisible: worsening(Math.max(visible, limitLog + reach(error))),
    ...roundsNeeded(blocks, times),
    adjustedP: adjusted.worse,
    provedWorse,
    belowFloor: worsening(estimate) > tolerance && grownMs(estimate) <= floorMs,
    improved: better && adjusted.better < familyAlpha,
  };
}

/** Nobody is asked for more blocks than this, and the number stays within what a verdict may hold. */
const mostRounds = 1000;

function roundsNeeded(blocks: number, times: number | undefined): { roundsNeeded?: number } {
  const needed = Math.ceil(blocks * (times ?? Number.POSITIVE_INFINITY));
  return needed > mostRounds ? {} : { roundsNeeded: Math.max(2, needed) };
}

/** Factor of blocks that would detect a growth of the share by `tolerance`, in powers of the square root of 2. */
function timesForShare(q: number, noise: NoiseOfSides, alpha: number, tolerance: number): number | undefined {
  for (let times = Math.SQRT2; times <= mostRounds; times *= Math.SQRT2) {
    const fewer = ({ block, run }: ShareNoise): ShareNoise => ({ block: block / times, run });
    const withMore = { base: fewer(noise.base), head: fewer(noise.head), df: noise.df };
    if (smallestVisibleGrowth(q, withMore, alpha) <= tolerance) return times;
  }
  return undefined;
}

/** The verdict on a share of requests, whose growth is worse; all differences are of shares. */
function judgeShare(
  { metric, shares: { noise, own } }: ShareDifference,
  { tolerance, blocks }: Limits,
  adjusted: Adjusted,
): MetricVerdict {
  const { base, head, df } = own;
  const change = share(head) - share(base);
  const bounds = newcombe(base, head, studentQuantile((1 + level) / 2, df));
  const visible = smallestVisibleGrowth(share(base), noise, adjusted.alpha);
  const provedWorse = change > 0 && adjusted.worse < familyAlpha;
  const couldHaveSeen = bounds.high <= tolerance || visible <= tolerance;
  const outcome = outcomeOf(change > tolerance && provedWorse, couldHaveSeen);
  const times =
    outcome === 'coarse' ? timesForShare(share(base), noise, adjusted.alpha, tolerance) : undefined;
  return {
    metric,
    outcome,
    base: share(base),
    head: share(head),
    change,
    interval: { ...bounds, level },
    limit: tolerance,
    limitFrom: 'tolerance',
    smallestVisible: smallestVisibleGrowth(share(base), noise, adjusted.alpha, tolerance),
    ...roundsNeeded(blocks, times),
    adjustedP: adjusted.worse,
    provedWorse,
    belowFloor: false,
    improved: -change > tolerance / 2 && adjusted.better < familyAlpha,
  };
}

/** The metrics that the configuration tolerates a change of, which are those that are judged. */
export function judgedMetrics({ tolerances }: Pick<JudgeOptions, 'tolerances'>): readonly MetricName[] {
  return metricNames.filter((name) => tolerances[name] !== undefined);
}

function judgeMetrics(
  contrasts: CellContrast,
  adjusted: AdjustedCell,
  { vus, blocks }: Cell,
  { tolerances, floors }: JudgeOptions,
): MetricVerdict[] {
  return contrasts.flatMap((contrast) => {
    const { metric } = contrast;
    const [tolerance, own] = [tolerances[metric], adjusted.get(metric)];
    if (tolerance === undefined || own === undefined) return [];
    const limits = { tolerance, vus, blocks: blocks.length };
    if ('shares' in contrast) return [judgeShare(contrast, limits, own)];
    const floorMs = floors[metrics[contrast.metric].floor.setting] ?? 0;
    return [judgeRatio(contrast, { ...limits, floorMs }, own)];
  });
}

/** The verdicts on the named metrics of every match, controlled together for many comparisons. */
export function judgeMatches<One extends Match>(
  matches: readonly One[],
  setup: ComparisonSetup,
  names: readonly MetricName[],
  options: JudgeOptions,
): ReadonlyMap<One, MetricVerdict[]> {
  const contrasts = contrastCells(matches, setup, names);
  const adjusted = adjustFamilies(contrasts);
  return new Map(
    matches.map((match, index) => [
      match,
      judgeMetrics(contrasts[index] ?? [], adjusted[index] ?? new Map(), match.head, options),
    ]),
  );
}
