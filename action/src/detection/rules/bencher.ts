import { mean, sampleStandardDeviation } from 'simple-statistics';
import { standardScore, studentQuantile } from '../../stats/index.ts';
import type { Series } from '../trial.ts';
import { beyond, type Peer } from './peer.ts';

/*
 * The thresholds of Bencher, as `lib/bencher_boundary` computes them from all values of the history. A boundary lies as far
 * below the baseline as above it, also for the log-normal test.
 */

const source =
  'https://github.com/bencherdev/bencher/tree/8d75325c3bc59403a2186a056b472c4f49d42838/lib/bencher_boundary/src';

/** The baseline, and how far from it the boundary lies on either side. */
export interface Boundary {
  readonly baseline: number;
  readonly distance: number;
}

type Values = readonly number[];

/** `chance` is the percentile of the boundary, such as 0.98. */
export const boundaries = {
  percentage: (values: Values, share: number): Boundary => {
    const baseline = mean([...values]);
    return { baseline, distance: baseline * share };
  },
  zScore: (values: Values, chance: number): Boundary | undefined => {
    const sd = deviation(values);
    return sd === undefined
      ? undefined
      : { baseline: mean([...values]), distance: standardScore(1 - chance) * sd };
  },
  /** A prediction interval for one more value. */
  tTest: (values: Values, chance: number): Boundary | undefined => {
    const sd = deviation(values);
    if (sd === undefined) return undefined;
    const scale = sd * Math.sqrt(1 + 1 / values.length);
    return { baseline: mean([...values]), distance: studentQuantile(chance, values.length - 1) * scale };
  },
  logNormal: (values: Values, chance: number): Boundary | undefined => {
    const logs = values.map(Math.log);
    const sd = deviation(logs);
    if (sd === undefined) return undefined;
    const location = mean(logs);
    const baseline = Math.exp(location);
    return { baseline, distance: Math.exp(location + standardScore(1 - chance) * sd) - baseline };
  },
  interquartile: (values: Values, multiple: number): Boundary => {
    return { baseline: quartile(values, 0.5), distance: multiple * interquartileRange(values) };
  },
  /** By the range of the relative steps between neighbours. */
  deltaInterquartile: (values: Values, multiple: number): Boundary | undefined => {
    const steps = values.slice(1).map((value, index) => {
      const before = values[index] ?? value;
      return Math.abs((value - before) / before);
    });
    if (steps.length === 0) return undefined;
    const baseline = quartile(values, 0.5);
    return { baseline, distance: baseline * multiple * interquartileRange(steps) };
  },
};

/** Undefined where it is 0 or unknown. */
function deviation(values: Values): number | undefined {
  const sd = values.length < 2 ? 0 : sampleStandardDeviation([...values]);
  return sd > 0 && Number.isFinite(sd) ? sd : undefined;
}

/** Between the two values around the rank, in proportion. */
function quartile(values: Values, share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const rank = share * (sorted.length - 1);
  const below = Math.floor(rank);
  const [low = 0, high = low] = sorted.slice(below, below + 2);
  return low + (high - low) * (rank - below);
}

function interquartileRange(values: Values): number {
  return quartile(values, 0.75) - quartile(values, 0.25);
}

function peer(name: string, title: string, boundaryOf: (values: Values) => Boundary | undefined): Peer {
  return {
    name: `bencher-${name}`,
    title: `Bencher, ${title}`,
    source,
    measures: 'head',
    score: (series: Series) => {
      const boundary = series.history.length === 0 ? undefined : boundaryOf(series.history);
      return boundary && beyond(series, boundary.baseline, series.head, boundary.distance);
    },
  };
}

export const bencher: readonly Peer[] = [
  peer('percentage-10', 'percentage 10%', (values) => boundaries.percentage(values, 0.1)),
  peer('percentage-25', 'percentage 25%', (values) => boundaries.percentage(values, 0.25)),
  peer('z', 'z-score 0.98', (values) => boundaries.zScore(values, 0.98)),
  peer('t', 't-test 0.99', (values) => boundaries.tTest(values, 0.99)),
  peer('log-normal', 'log normal 0.99', (values) => boundaries.logNormal(values, 0.99)),
  peer('iqr', 'IQR x 1.5', (values) => boundaries.interquartile(values, 1.5)),
  peer('delta-iqr', 'delta IQR x 1.5', (values) => boundaries.deltaInterquartile(values, 1.5)),
];
