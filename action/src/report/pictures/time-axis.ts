import { line } from 'd3-shape';
import { type ReadingName, type ReadingUnit, readingGroups, readings } from '../../model/reading.ts';
import { ownEndpoints } from '../../model/run.ts';
import type { RequestSeries } from '../../model/series.ts';
import { formatAmount, formatCount, formatMs, formatShare, formatTps } from '../format/number.ts';
import { longestName } from '../format/phrase.ts';
import type { AxisPart } from './cell-blocks.ts';
import { element, figure, legendEntry, short } from './markup.ts';

/** Lines of one chart at most: more cannot be told apart. */
const mostLines = 8;
/** The names of more blocks would overlap. */
const mostNamedBlocks = 24;
/** A line has so many points at most; longer runs are thinned. */
const mostPoints = 600;

interface Point {
  readonly x: number;
  readonly y: number;
}

const path = line<Point>(
  ({ x }) => short(x),
  ({ y }) => short(y),
);

type Values = readonly (number | null)[];

interface AxisLine {
  readonly name: string;
  readonly values: Values;
}

interface AxisChart {
  readonly title: string;
  readonly unit: ReadingUnit | 'tps' | 'count';
  readonly lines: readonly AxisLine[];
}

/** What the page's script needs to know of a second. */
interface Band {
  readonly side: AxisPart['side'];
  readonly name: string;
  readonly label: string;
  readonly from: number;
  readonly countedFrom: number;
  readonly countedTo: number;
  readonly to: number;
}

const units: Readonly<Record<AxisChart['unit'], (value: number) => string>> = {
  share: formatShare,
  bytes: (value) => formatAmount(value, 'bytes'),
  ms: formatMs,
  'ms/s': (value) => `${formatMs(value)}/s`,
  '/s': (value) => `${formatTps(value)}/s`,
  '': (value) => formatAmount(value, ''),
  tps: (value) => `${formatTps(value)}/s`,
  count: formatCount,
};

/**
 * What happened in each second of a cell's blocks, one block after the other in the order in which they were taken. All
 * charts share the axis. A line is drawn in the values themselves, stretched by the viewBox, so that the page's script
 * reads values from it and zooms by changing the viewBox. Empty without series.
 */
export function timeAxis(series: readonly AxisPart[], cell: string): string {
  const bands = bandsOf(series);
  const seconds = bands.at(-1)?.to ?? 0;
  if (seconds === 0) return '';
  const step = Math.max(1, Math.ceil(seconds / mostPoints));
  const charts = chartsOf(series, bands);
  const [silent, lively] = [charts.filter(isSilent), charts.filter((chart) => !isSilent(chart))];
  const data = bands.map(({ side: _, label: __, ...band }) => band);
  return element(
    'div',
    {
      class: 'axis',
      tabindex: 0,
      role: 'group',
      'aria-label': `Second by second: ${cell}. Left and right read a second, plus and minus zoom, 0 shows everything.`,
      'data-blocks': JSON.stringify(data),
      'data-seconds': seconds,
    },
    element('p', { class: 'note reading', 'aria-live': 'polite' }, ''),
    ...(bands.length <= mostNamedBlocks ? [strip(bands, seconds)] : []),
    ...lively.map((chart) => chartMarkup(chart, bands, seconds, step)),
    ...(silent.length === 0
      ? []
      : [element('p', { class: 'note' }, `All zero: ${silent.map(({ title }) => title).join(', ')}.`)]),
  );
}

/** True if nothing ever happened. */
function isSilent({ lines }: AxisChart): boolean {
  return lines.every(({ values }) => values.every((value) => value === null || value === 0));
}

function bandsOf(series: readonly AxisPart[]): readonly Band[] {
  let from = 0;
  return series.map(({ side, name, label, guardSeconds, countedSeconds, all }) => {
    const to = from + all.requests.length;
    const countedFrom = Math.min(to, from + guardSeconds);
    const countedTo = Math.min(to, from + guardSeconds + countedSeconds);
    const band = { side, name, label, from, countedFrom, countedTo, to };
    from = to;
    return band;
  });
}

function chartsOf(series: readonly AxisPart[], bands: readonly Band[]): readonly AxisChart[] {
  const joined = (of: (one: AxisPart) => Values): Values => series.flatMap((one) => [...of(one)]);
  const none = (one: AxisPart): Values => one.all.requests.map(() => null);
  const endpoints = namesByRequests(series);
  const byEndpoint = (of: (one: RequestSeries) => Values): readonly AxisLine[] =>
    endpoints.slice(0, mostLines).map((name) => ({
      name,
      values: joined((one) => {
        const own = one.endpoints[name];
        return own === undefined ? none(one) : of(own);
      }),
    }));
  const statuses = [...new Set(series.flatMap(({ failures }) => Object.keys(failures)))].toSorted();
  const first = endpoints.length > mostLines ? ` of the ${mostLines} busiest endpoints` : ' by endpoint';
  const charts: readonly AxisChart[] = [
    {
      title: 'Response times',
      unit: 'ms',
      lines: [
        { name: 'p50', values: joined(({ all }) => all.p50Ms) },
        { name: 'p95', values: joined(({ all }) => all.p95Ms) },
        { name: 'p99', values: joined(({ all }) => all.p99Ms) },
      ],
    },
    {
      title: 'Requests per second',
      unit: 'tps',
      lines: [{ name: 'all', values: joined(({ all }) => all.requests) }],
    },
    {
      title: 'Failed requests per second',
      unit: 'count',
      lines: statuses.slice(0, mostLines).map((status) => ({
        name: status === '0' ? 'no answer' : `status ${status}`,
        values: joined((one) => one.failures[status] ?? one.all.requests.map(() => 0)),
      })),
    },
    {
      title: 'Virtual users',
      unit: 'count',
      lines: [{ name: 'users', values: joined(({ users }) => users) }],
    },
    { title: `Requests per second${first}`, unit: 'tps', lines: byEndpoint(({ requests }) => requests) },
    { title: `p95${first}`, unit: 'ms', lines: byEndpoint(({ p95Ms }) => p95Ms) },
    ...readingCharts(series, bands),
  ];
  return charts.filter(({ lines }) => lines.some(({ values }) => values.some((value) => value !== null)));
}

function namesByRequests(series: readonly AxisPart[]): readonly string[] {
  const requests = new Map<string, number>();
  for (const { endpoints } of series) {
    for (const [name, own] of Object.entries(endpoints)) {
      if (name === ownEndpoints.preparation) continue;
      const count = own.requests.reduce((sum, value) => sum + value, 0);
      requests.set(name, (requests.get(name) ?? 0) + count);
    }
  }
  return [...requests].toSorted(([, a], [, b]) => b - a).map(([name]) => name);
}

/** One chart per group and unit of readings. A reading belongs to the second in which it was taken. */
function readingCharts(series: readonly AxisPart[], bands: readonly Band[]): readonly AxisChart[] {
  const names = Object.keys(readings).filter((name) =>
    series.some((one) => Object.hasOwn(one.readings, name)),
  );
  const groups = Map.groupBy(names as readonly ReadingName[], (name) => readings[name].group);
  return [...groups].map(([group, members]) => ({
    title: readingGroups[group],
    unit: readings[members[0] as ReadingName].unit,
    lines: members.map((name) => ({
      name: readings[name].title,
      values: series.flatMap((one, index) => bySecond(one, name, bands[index])),
    })),
  }));
}

function bySecond(
  { readAtSeconds, readings: values }: AxisPart,
  name: string,
  band: Band | undefined,
): Values {
  const seconds: (number | null)[] = Array.from(
    { length: band === undefined ? 0 : band.to - band.from },
    () => null,
  );
  for (const [index, at] of readAtSeconds.entries()) {
    const second = Math.floor(at);
    // The drain after the last request has no second of its own.
    if (second >= 0 && second < seconds.length)
      seconds[second] = values[name]?.[index] ?? seconds[second] ?? null;
  }
  return seconds;
}

function chartMarkup(
  { title, unit, lines }: AxisChart,
  bands: readonly Band[],
  seconds: number,
  step: number,
): string {
  const say = units[unit];
  const most = Math.max(0, ...lines.flatMap(({ values }) => values.filter((value) => value !== null)));
  const top = most > 0 ? most * 1.08 : 1;
  const paths = lines.map(({ values }, index) =>
    element('path', { class: `line s${index % mostLines}`, d: curves(values, bands, step) }),
  );
  const shade = (className: string, from: number, to: number) =>
    to > from ? [element('rect', { class: className, x: from, y: 0, width: to - from, height: top })] : [];
  const shades = bands.flatMap(({ side, from, countedFrom, countedTo, to }) => [
    ...(side === 'base' ? shade('of-base', from, to) : []),
    ...shade('uncounted', from, countedFrom),
    ...shade('uncounted', countedTo, to),
  ]);
  return figure(
    { title, note: `at most ${say(most)}`, inWords: `${title}: at most ${say(most)}` },
    lines.map(({ name }, index) =>
      legendEntry(`s${index % mostLines}`, [...name].slice(0, longestName).join('')),
    ),
    (label) =>
      element(
        'svg',
        {
          class: 'stretched',
          viewBox: `0 0 ${seconds} ${short(top)}`,
          preserveAspectRatio: 'none',
          'data-unit': unit,
          ...label,
        },
        // Values grow upwards, SVG's coordinates downwards.
        element('g', { transform: `matrix(1 0 0 -1 0 ${short(top)})` }, ...shades, ...paths),
      ),
  );
}

/** Names the blocks above their seconds. */
function strip(bands: readonly Band[], seconds: number): string {
  const texts = bands.map(({ label, from, to }) =>
    element('text', { class: 'tick middle', x: `${short((50 * (from + to)) / seconds)}%`, y: 12 }, label),
  );
  return element('svg', { class: 'strip', 'aria-hidden': 'true' }, ...texts);
}

/** One curve per block. Each point is the mean of the values that `step` seconds have, at their middle. */
function curves(values: Values, bands: readonly Band[], step: number): string {
  return bands
    .map(({ from, to }) => {
      const points: Point[] = [];
      for (let at = from; at < to; at += step) {
        const known = values.slice(at, Math.min(to, at + step)).filter((value) => value !== null);
        const sum = known.reduce((total, value) => total + value, 0);
        if (known.length > 0) points.push({ x: at + step / 2, y: sum / known.length });
      }
      return path(points) ?? '';
    })
    .join('');
}
