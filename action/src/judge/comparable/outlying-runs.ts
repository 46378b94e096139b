import { mean, median } from 'simple-statistics';
import {
  hostNoise,
  metrics,
  type RatioMetricName,
  type ReadingMachine,
  ratioMetricNames,
  worsening,
} from '../../model/metric.ts';
import { type Cell, cellName, type Run } from '../../model/run.ts';
import type { OutlyingRun } from '../../model/verdict.ts';
import { expectedNoise, outlyingBy } from '../../stats/index.ts';
import { logLevel } from '../contrast/contrast.ts';

/** With fewer runs, it is unclear which of them is the outlier. */
const fewestRuns = 3;

/** The metrics of the family `time`. If several of them show that a run is an outlier, the first one is reported. */
const timeMetrics = ratioMetricNames.filter((name) => metrics[name].family === 'time').toReversed();

/** The cell's level by the best yardstick that its blocks have. */
function levelOf(metric: RatioMetricName, cell: Cell, machine: ReadingMachine): number | undefined {
  const { yardstick } = metrics[metric];
  return logLevel(metric, cell, machine, yardstick) ?? logLevel(metric, cell, machine, []);
}

/** Mean over cells of how much worse each run was than the median run of its cell, as a log. */
function slowdowns(runs: readonly Run[], metric: RatioMetricName): readonly number[] {
  const levels = runs.map(
    ({ cells, fingerprint }) =>
      new Map(
        cells.flatMap((cell): [string, number][] => {
          const level = levelOf(metric, cell, fingerprint);
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
 * Runs that lie far from the others in all cells together. `runs` are in order, oldest first. A run that was recorded
 * in a noisy hour would widen the expected difference between runs until no change could be detected. A slower run
 * counts as such an outlier, even the newest. The newest runs do not count if they are faster: noise does not make a
 * machine that fast, but a change can.
 */
export function outlyingRuns(runs: readonly Run[]): readonly OutlyingRun[] {
  if (runs.length < fewestRuns) return [];
  const found = timeMetrics.flatMap((metric) => {
    // Runs may differ by their host, wherever they were made.
    const { run: prior } = expectedNoise(metrics[metric].noise.divided, 'other-machine', hostNoise.divided);
    const far = outlyingBy(slowdowns(runs, metric), prior);
    const newestSteady = far.findLastIndex((by) => by >= 0);
    return runs.flatMap(({ id }, index) => {
      const by = far[index] ?? 0;
      if (by === 0 || (by < 0 && index > newestSteady)) return [];
      const change = Math.expm1(worsening(metric, by));
      return [{ runId: id, metric, change }];
    });
  });
  return [...new Map(found.toReversed().map((run) => [run.runId, run])).values()];
}
