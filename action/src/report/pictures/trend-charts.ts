import type { HistoryCell, HistoryChange, HistoryGroup, HistorySeries } from '../../model/history.ts';
import { type MetricName, metrics } from '../../model/metric.ts';
import { formatFigure } from '../format/figure.ts';
import { formatChange, formatPoints } from '../format/number.ts';
import { fixedChart, type Line } from './fixed-chart.ts';

/** More runs than this are drawn without a mark for each: nobody could point at one. */
const mostMarked = 30;

/** How far a level moved, relative or in percentage points. */
export function changeText(metric: MetricName, { before, after }: HistoryChange): string {
  if (metrics[metric].scale === 'share') return formatPoints(after - before);
  return before === 0 ? formatFigure(metric, after) : formatChange(after / before - 1);
}

/** One chart per metric of a cell, over the runs of its group. */
export function trendCharts({ runs }: Pick<HistoryGroup, 'runs'>, { series }: HistoryCell): string {
  return series.map((one) => trendChart(runs, one)).join('');
}

function trendChart(runs: HistoryGroup['runs'], { metric, points, changes }: HistorySeries): string {
  const say = (value: number) => formatFigure(metric, value);
  const nameOf = (run: number) => `${runs[run]?.startedAt.slice(0, 10)} ${runs[run]?.commit.slice(0, 8)}`;
  const last = runs.length - 1;
  const levels = [points[0]?.run ?? 0, ...changes.map(({ run }) => run), runs.length];
  const ofRuns: Line = {
    name: 'runs',
    className: 'head',
    points: points.map(({ run, value }) => ({ x: run, y: value, text: `${nameOf(run)}: ${say(value)}` })),
    joined: true,
    marked: points.length <= mostMarked,
  };
  const level = levels.slice(0, -1).flatMap((from, index): Line[] => {
    const value = changes[index]?.before ?? changes[index - 1]?.after;
    if (value === undefined) return [];
    const text = `level: ${say(value)}`;
    const ends = [from, (levels[index + 1] ?? last) - 1].map((x) => ({ x, y: value, text }));
    return [{ name: say(value), className: 's1', points: ends, joined: true, marked: false }];
  });
  const band = points.flatMap(({ run, tolerated }) =>
    tolerated === undefined ? [] : [{ x: run, from: tolerated.usual, to: tolerated.limit }],
  );
  return fixedChart({
    title: `${metrics[metric].title}${metrics[metric].unit === 'perSecond' ? ' (requests per second)' : ''}`,
    note: band.length > 1 ? 'grey: from the mean of ten runs to the limit' : '',
    xTicks: ticksOf(runs),
    xRange: [-0.5, last + 0.5],
    band,
    labels: [
      ...changes.map((change) => ({ x: change.run, text: changeText(metric, change) })),
      ...runs.flatMap(({ marks }, x) => marks.map(({ name }) => ({ x, text: name }))),
    ].toSorted((a, b) => a.x - b.x),
    y: say,
    yScale: 'linear',
    lines: [ofRuns, ...level],
  });
}

/** Days of the first run, the last one and one between them. */
function ticksOf(runs: HistoryGroup['runs']) {
  const last = runs.length - 1;
  const places =
    runs.length < 8 ? [0, last] : [Math.round(last * 0.08), Math.round(last / 2), Math.round(last * 0.92)];
  return [...new Set(places)].map((x) => ({ x, text: runs[x]?.startedAt.slice(0, 10) ?? '' }));
}
