import { isRatioMetric, type MetricName, metrics } from '../../src/model/metric.ts';
import type { InvalidReason } from '../../src/model/run.ts';
import type { MetricVerdict, Verdict } from '../../src/model/verdict.ts';

/** An unchanged metric unless `more` says otherwise; `halfWidth` is half of its interval. */
export function metric(
  name: MetricName,
  base: number,
  change: number,
  halfWidth: number,
  more: Partial<MetricVerdict> = {},
): MetricVerdict {
  const { tolerance, worse, scale } = metrics[name];
  return {
    metric: name,
    outcome: 'pass',
    base,
    head: scale === 'share' ? base + change : base * (1 + change),
    change,
    interval: { low: change - halfWidth, high: change + halfWidth, level: 0.95 },
    limit: worse === 'lower' ? -tolerance.default : tolerance.default,
    limitFrom: 'tolerance',
    smallestVisible: tolerance.default + halfWidth,
    score: 0,
    suspect: false,
    yardstick: [...(isRatioMetric(name) ? metrics[name].yardstick : [])],
    provedWorse: false,
    belowFloor: false,
    improved: false,
    ...more,
  };
}

export function reason(code: string, cause: string, nextStep: string): InvalidReason {
  return { code, cause, nextStep };
}

/** The verdict with every cost as one that fails its cell, and one that could not be compared. */
export function withFailedCosts(verdict: Verdict): Verdict {
  return {
    ...verdict,
    cells: verdict.cells.map((cell) => ({
      ...cell,
      signals: cell.signals.map((signal) => ({ ...signal, gate: 'fail', moved: true, failed: true })),
      uncounted: cell.signals.map(({ name, title }) => ({ name, title, missing: 'head' })),
    })),
  };
}

/** That many cells with these names: every second one regressed, the others unchanged. */
export function crowd(from: Verdict, count: number, name: string): Verdict {
  const regressed = from.cells.find(({ outcome }) => outcome === 'regression');
  const quiet = from.cells.find(({ outcome }) => outcome === 'pass');
  if (regressed === undefined || quiet === undefined) throw new Error('the verdict has no such cell');
  const slower = {
    ...regressed,
    load: name,
    endpoints: Array.from({ length: 20 }, () => regressed.endpoints.slice(0, 1)).flatMap((some) =>
      some.map((endpoint) => ({ ...endpoint, name })),
    ),
  };
  return {
    ...from,
    suite: name,
    runId: name,
    code: { commit: name, branch: name, dirty: true },
    fingerprint: {
      ...from.fingerprint,
      os: name,
      versions: Object.fromEntries(Array.from({ length: 50 }, (_, index) => [name + index, name])),
    },
    invalid: Array.from({ length: count }, (_, index) => reason(name, `${index}${name}`, name)),
    cells: Array.from({ length: count }, (_, index) =>
      index % 2 === 0
        ? {
            ...slower,
            scenario: `${index}${name}`,
            signals: regressed.signals
              .slice(0, 1)
              .map((signal) => ({ ...signal, name: `s${index}`, title: name, unit: name, hint: name })),
            invalid: [reason(name, `${index}${name}`, name)],
          }
        : { ...quiet, scenario: `${index}${name}`, load: name },
    ),
  };
}
