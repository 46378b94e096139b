import type { MetricVerdict } from '../../model/verdict.ts';

/** Size of a drawing, in units of its own. */
const width = 200;
const height = 22;
const middle = 9;

/** What a drawing shows, in limits: worse is right of 0, and the limit is 1. */
const from = -2;
const to = 3;

/** Room for an arrow where something lies beyond the drawing. */
const margin = 6;

/** How many times the limit a change is, towards worse; a limit of nothing is beyond any drawing. */
function inLimits({ metric, limit }: MetricVerdict, change: number): number {
  const worse = metric === 'tps' ? -change : change;
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

/** A point where it lies, or an arrow that points there. */
function mark(limits: number): string {
  const x = place(limits);
  if (limits >= from && limits <= to) return `<circle class="point" cx="${x}" cy="${middle}" r="3.5"/>`;
  const tip = limits > to ? margin : -margin;
  return `<path class="point" d="M${x} ${middle - 5}l${tip} 5l${-tip} 5z"/>`;
}

/**
 * One metric as a picture: the change as a point, its interval as a line, what the limit tolerates as a band, and
 * the smallest worsening that would have failed as a tick below. All metrics share one scale: the limit.
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
    ...(visible > to ? [] : [vertical('sees', place(visible), height - 5, height)]),
    mark(inLimits(metric, change)),
    '</svg>',
  ].join('');
}
