import { worsening } from '../../model/metric.ts';
import type { MetricVerdict } from '../../model/verdict.ts';

/** Size of a drawing in SVG units. */
const width = 200;
const height = 22;
const middle = 9;

/** The range of a drawing in multiples of the limit: worse is to the right of 0. */
const from = -2;
const to = 3;

/** Room for the arrow that marks a change beyond the range. */
const margin = 6;

/** The change in multiples of the limit, positive if worse. Against a limit of 0 every change is infinite. */
function inLimits({ metric, limit }: MetricVerdict, change: number): number {
  const worse = worsening(metric, change);
  if (worse === 0) return 0;
  return worse / Math.abs(limit);
}

function place(limits: number): number {
  const share = (Math.min(to, Math.max(from, limits)) - from) / (to - from);
  return Math.round((margin + share * (width - 2 * margin)) * 10) / 10;
}

function vertical(name: string, x: number, top: number, bottom: number): string {
  return `<line class="${name}" x1="${x}" y1="${top}" x2="${x}" y2="${bottom}"/>`;
}

/** A point, or an arrow if the change lies beyond the range. */
function mark(limits: number): string {
  const x = place(limits);
  if (limits >= from && limits <= to) return `<circle class="point" cx="${x}" cy="${middle}" r="3.5"/>`;
  const tip = limits > to ? margin : -margin;
  return `<path class="point" d="M${x} ${middle - 5}l${tip} 5l${-tip} 5z"/>`;
}

/**
 * One metric as a picture: the change is a point, its interval a line, and the tolerated range a band. A tick below
 * marks the smallest detectable worsening. All metrics share one scale, the limit.
 */
export function intervalDrawing(metric: MetricVerdict): string {
  const { change, interval, smallestVisible, limit } = metric;
  const ends = [interval.low, interval.high].map((end) => inLimits(metric, end)).toSorted((a, b) => a - b);
  const [low = 0, high = 0] = ends;
  const caps = ends
    .filter((end) => end >= from && end <= to)
    .map((end) => vertical('interval', place(end), middle - 3, middle + 3));
  const visible = limit === 0 ? Number.POSITIVE_INFINITY : smallestVisible / Math.abs(limit);
  return [
    `<svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" aria-hidden="true">`,
    `<rect class="tolerated" x="${place(0)}" y="1" width="${Math.round((place(1) - place(0)) * 10) / 10}" height="${height - 6}"/>`,
    vertical('zero', place(0), 1, height - 5),
    vertical('limit', place(1), 1, height - 5),
    `<line class="interval" x1="${place(low)}" y1="${middle}" x2="${place(high)}" y2="${middle}"/>`,
    ...caps,
    ...(visible > to ? [] : [vertical('detects', place(visible), height - 5, height)]),
    mark(inLimits(metric, change)),
    '</svg>',
  ].join('');
}
