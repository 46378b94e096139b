import { mean } from 'simple-statistics';
import { type MetricName, metricNames, metrics } from '../model/metric.ts';
import type { MetricVerdict, Outcome } from '../model/verdict.ts';
import {
  combineRatios,
  intervalErrorOf,
  type LogRatio,
  logInterval,
  newcombe,
  normalTail,
  pShareAbove,
  reach,
  type ShareContrast,
  scoreOf,
  share,
  smallestCaught,
  smallestVisibleGrowth,
  standardScore,
  studentQuantile,
  withBlocks,
} from '../stats/index.ts';
import type { Alone, CellContrast, RatioContrast, ShareDifference } from './contrast/contrast.ts';
import { figureDrift } from './contrast/speed-change.ts';
import {
  beyondDoubt,
  type Decision,
  decide,
  type Evidence,
  isSuspect,
  provedAloneScore,
  provedScore,
  repeatedScore,
  suspectScore,
} from './decision.ts';
import { limitLogs } from './limit.ts';
import type { JudgeOptions } from './options.ts';

/** Confidence level of every interval. */
const level = 0.95;

/** Each part alone has to show this much of the limit: an estimate matters from half of it, and a single part is noisier. */
const heldShare = 3 / 8;

/** Above this a factor of e^w is beyond any measurement; the bound keeps it finite. */
const greatestLog = 300;

/** Nobody is asked for more blocks than this, and the number stays within what a verdict may hold. */
const mostRounds = 1000;

/** The same rows, measured once or twice. */
export interface Measured<Contrast> {
  readonly first: Contrast;
  /** Base and head interleaved, after fresh boots. */
  readonly second?: Contrast;
  /** True if the row was to be measured again, and that failed. */
  readonly spoiled: boolean;
}

/** What a verdict on a metric takes into account in addition to the contrast. */
interface Limits {
  readonly tolerance: number;
  /** Blocks of head in the cell. */
  readonly blocks: number;
}

interface RatioLimits extends Limits {
  /** Virtual users of the cell. */
  readonly vus: number;
  /** A worsening by less than these milliseconds does not count. */
  readonly floorMs: number;
  /** True for what several cells share; a pass promises nothing about it. */
  readonly ofGroup: boolean;
  /** By how much the machine's speed changed since the stored runs, as a log of 0 or more. */
  readonly speedChange: number;
}

function outcomeOf(decision: Decision, wouldCatchLimit: boolean): Outcome {
  if (decision === 'worse') return 'regression';
  if (decision === 'undecided') return 'undecided';
  return wouldCatchLimit ? 'pass' : 'coarse';
}

/** Blocks per side with which a change of `limit` would be caught; absent if no affordable number would do. */
function roundsNeeded(ratio: LogRatio, blocks: number, limit: number): { roundsNeeded?: number } {
  const error = intervalErrorOf(ratio);
  const target = error.variance * (limit / smallestCaught(error, suspectScore)) ** 2;
  const left = target - ratio.error.boots.variance - ratio.error.runs.variance;
  const needed = Math.ceil((blocks * ratio.scattered.variance) / left);
  return left <= 0 || needed > mostRounds ? {} : { roundsNeeded: Math.max(2, needed) };
}

/** The least number of rounds that is enough; absent if no affordable number is. */
function fewestRounds(isEnough: (rounds: number) => boolean): { roundsNeeded?: number } {
  if (!isEnough(mostRounds)) return {};
  let [tooFew, enough] = [1, mostRounds];
  while (enough - tooFew > 1) {
    const middle = Math.floor((tooFew + enough) / 2);
    if (isEnough(middle)) enough = middle;
    else tooFew = middle;
  }
  return { roundsNeeded: enough };
}

/** By every part that serves in the second measurement: the mean of both, or the second alone if it did not serve before. */
function bothAlone(first: Alone, second: Alone): Alone {
  const before: Readonly<Record<string, number | undefined>> = first;
  return Object.fromEntries(
    Object.entries(second).map(([part, estimate]) => [part, mean([before[part] ?? estimate, estimate])]),
  );
}

/**
 * The verdict on a metric of the ratio scale. The log of the worsening decides everything, so a metric that is worse
 * when it falls differs only in how its figures are reported. An estimate matters beyond half the limit: with a bar at
 * the limit itself, a change of that size would be missed every other time.
 */
function judgeRatio(
  { first, second, spoiled }: Measured<RatioContrast>,
  { tolerance, floorMs, vus, blocks, ofGroup, speedChange }: RatioLimits,
): MetricVerdict {
  const { metric, base, head } = second ?? first;
  const { worse } = metrics[metric];
  const promised = metrics[metric].promised && !ofGroup;
  const rises = worse === 'higher';
  const changeOf = (log: number): number =>
    Math.expm1(Math.min(greatestLog, Math.max(-greatestLog, rises ? log : -log)));
  const worsening = (log: number): number => (rises ? changeOf(log) : -changeOf(log));
  const { floorLog, toleranceLog, limitLog } = limitLogs(metric, {
    tolerance,
    floorMs,
    vus,
    base: first.base,
  });
  const evidence = (ratio: LogRatio, alone: Alone, drift = 0): Evidence => ({
    score: scoreOf(ratio),
    matters: ratio.estimate > limitLog / 2,
    beyondLimit: ratio.estimate > limitLog && logInterval(ratio, 2 * beyondDoubt - 1).low > limitLog,
    held: [ratio.estimate, ...Object.values(alone)].every((log) => log > heldShare * limitLog + drift),
  });
  const serving = evidence(
    first.worsening,
    first.alone,
    figureDrift(speedChange, first.yardstick.length > 0),
  );
  const ofHidden = first.hidden && { ...evidence(first.hidden.worsening, {}), held: false };
  const hidden = ofHidden && isSuspect(ofHidden) && !isSuspect(serving) ? ofHidden : undefined;
  const own = hidden ?? serving;
  const shown = hidden === undefined ? first : { ...first, ...first.hidden };
  const doubt = second?.doubt;
  const together =
    second === undefined || doubt !== undefined
      ? (second ?? shown).worsening
      : combineRatios(shown.worsening, second.worsening);
  const decision = decide({
    first: own,
    ...(second === undefined
      ? {}
      : {
          second: {
            ...evidence(second.worsening, second.alone),
            together: evidence(
              together,
              doubt === undefined ? bothAlone(first.alone, second.alone) : second.alone,
            ),
          },
        }),
    // A second measurement that cannot say whether the first one was misled may prove something, but clears nothing.
    spoiled,
    open: doubt === 'open',
    alone: provedAloneScore,
    ...(hidden && { repeated: repeatedScore.hidden }),
  });

  const { estimate } = together;
  const bounds = logInterval(together, level);
  const ends = [changeOf(bounds.low), changeOf(bounds.high)];
  const error = intervalErrorOf(together);
  const caughtLog = Math.max(smallestCaught(error, suspectScore), limitLog / 2 + reach(error));
  const outcome = outcomeOf(decision, !promised || caughtLog <= limitLog);
  const score = scoreOf(together);
  return {
    metric,
    outcome,
    base,
    head,
    change: changeOf(estimate),
    interval: { low: Math.min(...ends), high: Math.max(...ends), level },
    limit: changeOf(limitLog),
    limitFrom: 2 * floorLog > toleranceLog ? 'floor' : 'tolerance',
    smallestVisible: worsening(caughtLog),
    ...(outcome === 'coarse' ? roundsNeeded(together, blocks, limitLog) : {}),
    score,
    ...(second === undefined ? {} : { scoreAgain: scoreOf(second.worsening) }),
    suspect: isSuspect(own),
    provedWorse: score > suspectScore && (second !== undefined || hidden === undefined),
    belowFloor: score > suspectScore && estimate > toleranceLog && estimate <= floorLog,
    // The interval has all scatter of the blocks, of which the score leaves some out to the disadvantage of head.
    improved: -score > suspectScore && bounds.high < 0 && -estimate > limitLog / 2,
    yardstick: [...(second ?? shown).yardstick],
  };
}

function scoreOfShares({ shares: { unchanged } }: ShareDifference): number {
  const { base, head, df } = unchanged;
  return standardScore(pShareAbove(base, head, df));
}

/**
 * Stouffer's method: the sum of two standard normal values, over the square root of 2. Errors of the first measurement
 * that the second one does not repeat belong to the hour.
 */
function scoreOfBoth(first: number, second: number): number {
  return second > suspectScore ? (first + second) / Math.SQRT2 : Math.min(first, second);
}

/** The verdict on a share of requests, whose growth is worse; all differences are of shares. */
function judgeShare(
  { first, second, spoiled }: Measured<ShareDifference>,
  { tolerance, blocks }: Limits,
): MetricVerdict {
  const { metric, shares } = second ?? first;
  const { base, head } = shares.own;
  const evidence = (difference: ShareDifference): Evidence => ({
    score: scoreOfShares(difference),
    matters: share(difference.shares.own.head) - share(difference.shares.own.base) > tolerance / 2,
    beyondLimit: false,
    held: true,
  });
  const own = evidence(first);
  const again = second === undefined ? undefined : evidence(second);
  const score = again === undefined ? own.score : scoreOfBoth(own.score, again.score);
  const decision = decide({
    first: own,
    ...(again === undefined ? {} : { second: { ...again, together: { ...again, score } } }),
    spoiled,
    alone: provedScore,
  });
  const change = share(head) - share(base);
  const boundsOf = ({ own: sides }: Pick<ShareContrast, 'own'>) =>
    newcombe(sides.base, sides.head, studentQuantile((1 + level) / 2, sides.df));
  const caughtBy = ({ noise }: Pick<ShareContrast, 'noise'>) =>
    smallestVisibleGrowth(share(base), noise, normalTail(suspectScore), tolerance / 2);
  const isFine = (sides: Pick<ShareContrast, 'own' | 'noise'>) =>
    caughtBy(sides) <= tolerance || boundsOf(sides).high <= tolerance;
  const outcome = outcomeOf(decision, isFine(shares));
  return {
    metric,
    outcome,
    base: share(base),
    head: share(head),
    change,
    interval: { ...boundsOf(shares), level },
    limit: tolerance,
    limitFrom: 'tolerance',
    smallestVisible: caughtBy(shares),
    ...(outcome === 'coarse' ? fewestRounds((rounds) => isFine(withBlocks(shares, rounds / blocks))) : {}),
    score,
    ...(again === undefined ? {} : { scoreAgain: again.score }),
    suspect: isSuspect(own),
    provedWorse: score > suspectScore,
    belowFloor: false,
    improved: -score > suspectScore && -change > tolerance / 2,
    yardstick: [],
  };
}

/** The metrics that the configuration tolerates a change of, which are those that are judged. */
export function judgedMetrics({ tolerances }: Pick<JudgeOptions, 'tolerances'>): readonly MetricName[] {
  return metricNames.filter((name) => tolerances[name] !== undefined);
}

/** The verdicts on the metrics of one cell. */
export function judgeContrasts(
  { first, second, spoiled }: Measured<CellContrast>,
  { vus, blocks, ofGroup, speedChange }: Omit<RatioLimits, 'tolerance' | 'floorMs'>,
  { tolerances, floors }: JudgeOptions,
): MetricVerdict[] {
  return first.flatMap((one) => {
    const tolerance = tolerances[one.metric];
    if (tolerance === undefined) return [];
    const again = second?.find(({ metric }) => metric === one.metric);
    const isSpoiled = spoiled || (second !== undefined && again === undefined);
    if ('shares' in one) {
      const measured = {
        first: one,
        spoiled: isSpoiled,
        ...(again && 'shares' in again ? { second: again } : {}),
      };
      return [judgeShare(measured, { tolerance, blocks })];
    }
    const floorMs = floors[metrics[one.metric].floor.setting] ?? 0;
    const measured = {
      first: one,
      spoiled: isSpoiled,
      ...(again && 'worsening' in again ? { second: again } : {}),
    };
    return [judgeRatio(measured, { tolerance, floorMs, vus, blocks, ofGroup, speedChange })];
  });
}
