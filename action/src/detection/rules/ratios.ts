import { beyond, newest, type Peer } from './peer.ts';

/** Rules that compare head with one run of base, by a fixed ratio. */

/**
 * The ratio of `findAlerts` and `getRatio` in `src/write.ts`: above the threshold it is an alert. For figures of which more
 * is better, the previous value is divided by the current one.
 */
export function githubActionBenchmark(threshold: number): Peer {
  return {
    name: `github-action-benchmark-${100 * threshold}`,
    title: `github-action-benchmark, ${100 * threshold}%`,
    source:
      'https://github.com/benchmark-action/github-action-benchmark/blob/c38cce98215cf75e178ecd5a0c1a1ab215e93006/src/write.ts',
    measures: 'head',
    score: (series) => {
      const previous = newest(series);
      if (previous === undefined) return undefined;
      // Zero and zero are equal.
      if (previous === 0 && series.head === 0) return 0;
      const ratio = series.worse === 'lower' ? previous / series.head : series.head / previous;
      return (ratio - 1) / (threshold - 1);
    },
  };
}

/**
 * Base, then head, with a percentage between them, as `PercentageRegressionCheck` of pytest-benchmark has it for
 * `--benchmark-compare-fail`. Times grow by it; throughput is turned into the time per request.
 */
export function baseThenHead(percentage: number): Peer {
  return {
    name: `base-then-head-${percentage}`,
    title: `base, then head, ${percentage}%`,
    source:
      'https://github.com/ionelmc/pytest-benchmark/blob/47d66c88b84b5b11cc78e465cfc655d0a02de740/src/pytest_benchmark/utils.py',
    measures: 'base-then-head',
    score: (series) => {
      const compared = newest(series);
      if (compared === undefined) return undefined;
      const ratio = series.worse === 'lower' ? compared / series.head : series.head / compared;
      return (ratio * 100 - 100) / percentage;
    },
  };
}

/**
 * Thresholds of k6 that were set once, at a multiple of what a run of base had: `p(95)<limit` and `rate>limit`. A value that
 * equals the limit fails, as in `runNoTaint`. Nobody moves such thresholds often, so they are ten runs old if there are so many.
 */
export function k6Thresholds(multiple: number): Peer {
  return {
    name: `k6-thresholds-${multiple}`,
    title: `k6 thresholds, base x ${multiple}`,
    source:
      'https://github.com/grafana/k6/blob/056d3a69f6923f5241e9a42aae43797f33d51c14/metrics/thresholds.go',
    measures: 'head',
    score: ({ worse, history, head }) => {
      const first = history.at(-10) ?? history[0];
      if (first === undefined) return undefined;
      const limit = worse === 'higher' ? first * multiple : first / multiple;
      if (head === limit) return 1 + Number.EPSILON;
      const ratio = worse === 'higher' ? head / first : first / head;
      return (ratio - 1) / (multiple - 1);
    },
  };
}

/**
 * CodSpeed's regression threshold, on wall time. A change is base / head - 1, so that 15.3 to 17 is -10%; its reports show it
 * so. What CodSpeed does in addition, on its own machines or by simulating a CPU, cannot be stated for a whole service.
 */
export function codSpeed(percentage: number): Peer {
  return {
    name: `codspeed-${percentage}`,
    title: `CodSpeed's threshold, ${percentage}%`,
    source: 'https://codspeed.io/docs/features/customization#regression-threshold',
    measures: 'head',
    score: (series) => {
      const base = newest(series);
      if (base === undefined) return undefined;
      const [before, after] = series.worse === 'higher' ? [base, series.head] : [series.head, base];
      return beyond({ worse: 'higher' }, before / after, 1, percentage / 100);
    },
  };
}
