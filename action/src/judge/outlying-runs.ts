import { mean, median } from 'simple-statistics';
import { metrics, type RatioMetricName, ratioMetricNames, worsening } from '../model/metric.ts';
import { cellName, type Run } from '../model/run.ts';
import type { OutlyingRun } from '../model/verdict.ts';
import { noiseModel, outlyingBy } from '../stats/index.ts';
import { logLevel } from './contrast.ts';

/** Of fewer runs nobody can say which one is off. */
const fewestRuns = 3;

/** The metrics of the family `time`; where several show a run to lie far off, the first one is reported. */
const timeMetrics = ratioMetricNames.filter((name) => metrics[name].family === 'time').toReversed();

/** Mean over cells of how much worse each run was than the median run of its cell, as a log. */
function slowdowns(runs: readonly Run[], metric: RatioMetricName): readonly number[] {
  const levels = runs.map(
    ({ cells, fingerprint }) =>
      new Map(
        cells.flatMap((cell): [string, number][] => {
          const level = logLevel(metric, cell, fingerprint);
          return level === undefined ? [] : [[cellName(cell), level]];
        }),
      ),
  );
  const names = new Set(levels.flatMap((cells) => [...cells.keys()]));
  const typical = new Map(
    [...names].map((name) => [name, median(levels.flatMap((cells) => cells.get(name) ?? []))]),
  );
  return levels.map((cells) =>
    cells.size === 0
      ? 0
      : worsening(metric, mean([...cells].map(([name, level]) => level - (typical.get(name) ?? level)))),
  );
}

/**
 * The runs, oldest first, that lie far from the others in all cells together: recorded in a noisy hour, one of them
 * would widen what runs are taken to differ by until nothing can be seen. A slower run is taken for such an hour,
 * also the newest. Newest runs that are faster are not: no noise makes a machine that fast, but a change may have.
 */
export function outlyingRuns(runs: readonly Run[]): readonly OutlyingRun[] {
  if (runs.length < fewestRuns) return [];
  const found = timeMetrics.flatMap((metric) => {
    // The host's luck is part of what runs may differ by, wherever they were made.
    const { run: prior } = noiseModel(metrics[metric].noise, 'other-machine');
    const far = outlyingBy(slowdowns(runs, metric), prior);
    const newestSteady = far.findLastIndex((by) => by >= 0);
    return runs.flatMap(({ id, code, startedAt }, index) => {
      const by = far[index] ?? 0;
      if (by === 0 || (by < 0 && index > newestSteady)) return [];
      const change = Math.expm1(worsening(metric, by));
      return [{ runId: id, commit: code.commit, startedAt, metric, change }];
    });
  });
  return [...new Map(found.toReversed().map((run) => [run.runId, run])).values()];
}
