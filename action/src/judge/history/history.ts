import type {
  History,
  HistoryCell,
  HistoryGroup,
  HistoryMark,
  HistoryPoint,
  HistorySeries,
} from '../../model/history.ts';
import { isRatioMetric, type MetricName, metricNames, metrics } from '../../model/metric.ts';
import type { Pin } from '../../model/pin.ts';
import { type AcceptedChange, cellName, type Run } from '../../model/run.ts';
import { geometricMean } from '../../model/run-figures.ts';
import { changePointDefaults, changePoints } from '../../stats/index.ts';
import { historyRuns } from '../comparable/base.ts';
import { differencesBetween } from '../comparable/fingerprint.ts';
import { isTrusted } from '../comparable/validity.ts';
import { mostLeft } from '../contrast/speed-change.ts';
import { limitLogs } from '../limit.ts';
import type { JudgeOptions } from '../options.ts';
import { atOneSpeed, compareRuns, type Levels } from './one-speed.ts';

type Limits = Pick<JudgeOptions, 'tolerances' | 'floors' | 'signals'>;

/**
 * The figures of all trusted runs, in the given order, with the levels at which they stayed. They are those of a machine as
 * fast as the newest run's.
 */
export function historyOf(runs: readonly Run[], pins: readonly Pin[], limits: Limits): History {
  const groups: Run[][] = [];
  for (const run of runs.filter(isTrusted)) {
    const group = groups.find(([first = run]) => differencesBetween(first, run).length === 0);
    if (group === undefined) groups.push([run]);
    else group.push(run);
  }
  const newest = (group: readonly Run[]) => Math.max(...group.map(({ startedAt }) => Date.parse(startedAt)));
  return {
    groups: groups.toSorted((a, b) => newest(b) - newest(a)).flatMap((group) => groupOf(group, pins, limits)),
  };
}

function groupOf(runs: readonly Run[], pins: readonly Pin[], limits: Limits): HistoryGroup[] {
  const newest = runs.at(-1);
  if (newest === undefined) return [];
  const levels = atOneSpeed(runs, compareRuns(limits.signals));
  // Cells of the newest run come first, then those that it no longer has.
  const cells = new Map([newest, ...runs].flatMap((run) => run.cells).map((cell) => [cellName(cell), cell]));
  return [
    {
      suite: newest.suite,
      fingerprint: newest.fingerprint,
      runs: runs.map(({ id, startedAt, code, accepted = [] }) => ({
        id,
        startedAt,
        commit: code.commit,
        marks: [
          ...pins.filter((pin) => pin.run.id === id).map(({ name }) => ({ kind: 'release' as const, name })),
          ...acceptances(accepted),
        ],
      })),
      cells: [...cells].map(([name, { vus }]): HistoryCell => {
        const ofCell = levels.map((ofRun) => ofRun.get(name));
        const series = metricNames.map((metric) => seriesOf(metric, ofCell, vus, limits));
        return { name, series: series.filter(({ points }) => points.length > 0) };
      }),
    },
  ];
}

/** Each reason once, however many rows it was given for. */
function acceptances(accepted: readonly AcceptedChange[]): readonly HistoryMark[] {
  const reasons = new Set(accepted.map(({ reason }) => reason));
  return [...reasons].map((reason) => ({ kind: 'accepted', name: `accepted: ${reason}` }));
}

function seriesOf(
  metric: MetricName,
  cells: readonly (Levels | undefined)[],
  vus: number,
  limits: Limits,
): HistorySeries {
  const found = cells.flatMap((levels, run) => {
    const value = levels?.figures[metric];
    return value === undefined ? [] : [{ run, value, slowness: levels?.slowness[metric] ?? 0 }];
  });
  const values = found.map(({ value }) => value);
  const points = found.map(({ run, value }, index): HistoryPoint => {
    const before = values.slice(Math.max(0, index - historyRuns), index);
    const tolerated = toleratedAfter(metric, before, vus, limits);
    return tolerated === undefined ? { run, value } : { run, value, tolerated };
  });
  const logs = found.map(({ slowness }) => slowness);
  const changes = changePoints(values, changePointDefaults, { logs, mostLeft }).map(
    ({ index, before, after }) => ({
      run: found[index]?.run ?? 0,
      before,
      after,
    }),
  );
  return { metric, points, changes };
}

/** The usual value of runs, and how far a check lets the next one be worse. */
function toleratedAfter(
  name: MetricName,
  before: readonly number[],
  vus: number,
  { tolerances, floors }: Limits,
): HistoryPoint['tolerated'] {
  const tolerance = tolerances[name];
  if (before.length === 0 || tolerance === undefined) return undefined;
  if (!isRatioMetric(name)) {
    const usual = before.reduce((sum, value) => sum + value, 0) / before.length;
    return { usual, limit: Math.min(1, usual + tolerance) };
  }
  const usual = geometricMean(before);
  if (usual <= 0) return undefined;
  const { worse, floor } = metrics[name];
  const floorMs = floors[floor.setting] ?? 0;
  const { limitLog } = limitLogs(name, { tolerance, floorMs, vus, base: usual });
  return { usual, limit: usual * Math.exp(worse === 'higher' ? limitLog : -limitLog) };
}
