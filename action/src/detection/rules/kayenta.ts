import { mean } from 'simple-statistics';
import { standardScore } from '../../stats/index.ts';
import type { Peer } from './peer.ts';

/*
 * Kayenta's Mann-Whitney classifier with the settings of its `NetflixACAJudge`. Its interval for the shift between experiment
 * and control, at 98%, has to lie beyond a quarter of the estimated shift. The ratio of means has to point the same way.
 */

const source =
  'https://github.com/spinnaker/kayenta/blob/a69573be9d8fededacf80817e4151a2c8df41276/kayenta-judge/src/main/scala/com/netflix/kayenta/judge/classifiers/metric/MannWhitneyClassifier.scala';

export interface Shift {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

/** The standard normal value of the rank sum if `shift` is taken off the first sample, with corrections for ties and steps. */
function rankScore(x: readonly number[], y: readonly number[], shift: number): number {
  const all = [...x.map((value) => value - shift), ...y];
  const sorted = all.toSorted((a, b) => a - b);
  const ranks = new Map<number, { first: number; count: number }>();
  for (const [index, value] of sorted.entries()) {
    const rank = ranks.get(value);
    if (rank === undefined) ranks.set(value, { first: index + 1, count: 1 });
    else rank.count++;
  }
  const rankOf = (value: number) => {
    const { first = 0, count = 1 } = ranks.get(value) ?? {};
    return first + (count - 1) / 2;
  };
  const [m, n] = [x.length, y.length];
  const sum = all.slice(0, m).reduce((total, value) => total + rankOf(value), 0);
  const off = sum - (m * (m + 1)) / 2 - (m * n) / 2;
  const ties = [...ranks.values()].reduce((total, { count }) => total + count ** 3 - count, 0);
  const sd = Math.sqrt(((m * n) / 12) * (m + n + 1 - ties / ((m + n) * (m + n - 1))));
  return sd === 0 ? 0 : (off - Math.sign(off) * 0.5) / sd;
}

/**
 * The shift between two samples at which the score is a given one, by inverting the rank test as R's `wilcox.test` does. The
 * score only steps down where the shift equals a difference of two values. Kayenta searches its root with Brent's method, which
 * ends anywhere on a step that is a root as a whole; this takes the middle of the step.
 */
function shiftAt(x: readonly number[], y: readonly number[]): (score: number) => number {
  const differences = [...new Set(x.flatMap((a) => y.map((b) => a - b)))].toSorted((a, b) => a - b);
  const [least = 0, most = least] = [differences[0], differences.at(-1)];
  const between = differences.slice(1).map((value, index) => (value + (differences[index] ?? value)) / 2);
  /** The first difference after which the score is low enough. */
  const firstAt = (isLow: (score: number) => boolean): number => {
    let [low, high] = [0, between.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isLow(rankScore(x, y, between[middle] ?? most))) high = middle;
      else low = middle + 1;
    }
    return differences[low] ?? most;
  };
  return (wanted) => {
    if (rankScore(x, y, least) <= wanted) return least;
    if (rankScore(x, y, most) >= wanted) return most;
    return (firstAt((score) => score <= wanted) + firstAt((score) => score < wanted)) / 2;
  };
}

/** The score at which the lower end of an interval is. */
const lowScore = (level: number) => standardScore((1 - level) / 2);

/** The shift between two samples, with its interval. */
export function shiftBetween(x: readonly number[], y: readonly number[], level: number): Shift {
  const shift = shiftAt(x, y);
  return { estimate: shift(0), low: shift(lowScore(level)), high: shift(-lowScore(level)) };
}

/** The parameters of Kayenta's classifier. */
export interface Classifier {
  /** Share of the estimated shift that the interval has to lie beyond. */
  readonly tolerance: number;
  readonly confidence: number;
  /** Ratios of means that a decrease must not exceed, and an increase must reach. */
  readonly ratios: readonly [number, number];
}

const usual: Classifier = { tolerance: 0.25, confidence: 0.98, ratios: [1, 1] };

/** How far the interval lies beyond its bound on one side, in multiples of the bound; classified as that side above 1. */
export function shiftScore(
  experiment: readonly number[],
  control: readonly number[],
  worse: 'higher' | 'lower',
  { tolerance, confidence, ratios }: Classifier = usual,
): number {
  const ratio = mean([...experiment]) / mean([...control]);
  const isMet = worse === 'higher' ? ratio >= ratios[1] : ratio <= ratios[0];
  if (!isMet) return 0;
  const shift = shiftAt(experiment, control);
  const edge = worse === 'higher' ? shift(lowScore(confidence)) : -shift(-lowScore(confidence));
  if (edge <= 0) return 0;
  const bound = tolerance * Math.abs(shift(0));
  return bound > 0 ? edge / bound : Number.POSITIVE_INFINITY;
}

export const kayenta: Peer = {
  name: 'kayenta',
  title: "Kayenta's Mann-Whitney, 0.25",
  source,
  measures: 'interleaved',
  score: ({ worse, beside: { base, head } }) =>
    base.length === 0 || head.length === 0 ? undefined : shiftScore(head, base, worse),
};
