import { scaleLinear, scaleLog } from 'd3-scale';
import { area, line } from 'd3-shape';
import { htmlText } from '../format/html-text.ts';
import { element, figure, legendEntry, short } from './markup.ts';

const width = 560;
const height = 220;
const margin = { left: 62, right: 26, top: 10, bottom: 28 };

export interface Point {
  readonly x: number;
  readonly y: number;
  /** What a pointer that rests on it reads. */
  readonly text: string;
  /** True for a measurement that nothing was judged by. */
  readonly hollow?: boolean;
}

export interface Line {
  readonly name: string;
  /** Its colour: `base`, `head` or `limit`. */
  readonly className: string;
  readonly points: readonly Point[];
  /** Whether the points are joined. */
  readonly joined: boolean;
  /** Whether the points are marked. */
  readonly marked: boolean;
}

export interface FixedChart {
  readonly title: string;
  readonly note?: string;
  readonly xTicks: readonly { readonly x: number; readonly text: string }[];
  readonly xRange: readonly [number, number];
  /** Where something new begins, such as the second measurement. */
  readonly dividers?: readonly number[];
  /** Where values may lie, drawn below everything else. */
  readonly band?: readonly { readonly x: number; readonly from: number; readonly to: number }[];
  /** Words at the upper edge, with a divider. */
  readonly labels?: readonly { readonly x: number; readonly text: string }[];
  readonly y: (value: number) => string;
  /** log: for times, which spread over several powers of ten. */
  readonly yScale: 'linear' | 'log';
  readonly lines: readonly Line[];
}

/** A chart of one size with both axes. Empty if no line has a point. */
export function fixedChart(chart: FixedChart): string {
  const { title, note, lines, y: say, xTicks, xRange, dividers = [], band = [], labels = [] } = chart;
  const drawn = lines.filter(({ points }) => points.length > 0);
  const values = drawn.flatMap(({ points }) => points.map(({ y }) => y));
  if (values.length === 0) return '';
  values.push(...band.flatMap(({ from, to }) => [from, to]));
  const x = scaleLinear(xRange, [margin.left, width - margin.right]);
  const y = yScaleOf(chart.yScale, values);
  const ticks = y
    .ticks(5)
    .filter((_, index, all) => all.length <= 8 || index % Math.ceil(all.length / 8) === 0);
  const path = line<Point>(
    (point) => short(x(point.x)),
    (point) => short(y(point.y)),
  );
  const bottom = height - margin.bottom;
  const tolerated = area<(typeof band)[number]>(
    (at) => short(x(at.x)),
    (at) => short(y(at.from)),
    (at) => short(y(at.to)),
  );
  const parts = [
    ...(band.length > 1 ? [element('path', { class: 'tolerated', d: tolerated(band) ?? '' })] : []),
    ...ticks.flatMap((tick) => [
      element('line', { class: 'grid', x1: margin.left, x2: width - margin.right, y1: y(tick), y2: y(tick) }),
      element('text', { class: 'tick right', x: margin.left - 6, y: y(tick) + 4 }, htmlText(say(tick))),
    ]),
    ...dividers.map((at) =>
      element('line', { class: 'divider', x1: x(at), x2: x(at), y1: margin.top, y2: bottom }),
    ),
    ...labels.flatMap((label, index) => [
      element('line', { class: 'divider', x1: x(label.x), x2: x(label.x), y1: margin.top, y2: bottom }),
      element(
        'text',
        // Neighbours stand in different lines, and none begins where the chart ends.
        {
          class: x(label.x) > width / 2 ? 'tick right' : 'tick',
          x: x(label.x) + (x(label.x) > width / 2 ? -4 : 4),
          y: margin.top + 10 + 13 * (index % 3),
        },
        htmlText(label.text),
      ),
    ]),
    ...xTicks.map((tick) =>
      element('text', { class: 'tick middle', x: x(tick.x), y: height - 8 }, htmlText(tick.text)),
    ),
    ...drawn.flatMap(({ className, points, joined, marked }) => [
      ...(joined && points.length > 1
        ? [element('path', { class: `line ${className}`, d: path(points) ?? '' })]
        : []),
      ...(marked || points.length === 1
        ? points.map((point) =>
            element(
              'circle',
              {
                class: `mark ${className}${point.hollow ? ' hollow' : ''}`,
                cx: x(point.x),
                cy: y(point.y),
                r: 4,
              },
              element('title', {}, htmlText(point.text)),
            ),
          )
        : []),
    ]),
  ];
  const inWords = `${title}. ${drawn.map((one) => `${one.name}: ${spanInWords(one, say)}`).join('; ')}`;
  return figure(
    { title, ...(note === undefined ? {} : { note }), inWords },
    drawn.map(({ className, name }) => legendEntry(className, name)),
    (label) => element('svg', { class: 'fixed', viewBox: `0 0 ${width} ${height}`, ...label }, ...parts),
  );
}

function yScaleOf(kind: FixedChart['yScale'], values: readonly number[]) {
  const range = [height - margin.bottom, margin.top];
  const most = Math.max(...values);
  if (kind === 'linear' || most <= 0) return scaleLinear([0, most > 0 ? most * 1.05 : 1], range).nice(5);
  const least = Math.min(...values.filter((value) => value > 0));
  return scaleLog([least / 1.1, most * 1.1], range).clamp(true);
}

/** `12 ms to 80 ms`. */
function spanInWords({ points }: Line, say: (value: number) => string): string {
  const values = points.map(({ y }) => y);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least === most ? say(least) : `${say(least)} to ${say(most)}`;
}
