import { largeGrowth } from '../../model/course.ts';
import { mostFailed } from '../../model/experiment.ts';
import { isUsedUp, type Soak, type SoakSeries, type SoakUnit, soakOutcome } from '../../model/soak.ts';
import { formatBytes, formatCount, formatMs, formatShare, formatTps } from '../format/number.ts';
import { capitalised, countOf, namesText } from '../format/phrase.ts';
import type { FixedChart } from '../pictures/fixed-chart.ts';
import { atLeast, dipText } from './course.ts';
import { type Finding, type FindingTable, identityFacts } from './finding.ts';

const mostListed = 5;
const mostMarked = 60;
/** From here on, a time is given in hours. */
const mostMinutes = 120;

const units: Readonly<Record<SoakUnit, (value: number) => string>> = {
  bytes: formatBytes,
  ms: formatMs,
  '/s': formatTps,
  '': (value) =>
    Math.abs(value) < 1000 ? String(Number(value.toPrecision(3))) : formatCount(Math.round(value)),
};

function signed(unit: SoakUnit, value: number): string {
  return `${value < 0 ? '-' : '+'}${units[unit](Math.abs(value))}`;
}

const states = {
  leaks: 'regression',
  failing: 'undecided',
  partial: 'undecided',
  short: 'undecided',
  flat: 'pass',
} as const satisfies Readonly<Record<ReturnType<typeof soakOutcome>, Finding['state']>>;

/** What a long constant load found, in words, a table and a chart for each quantity. */
export function soakFinding(soak: Soak): Finding {
  const {
    series,
    grown,
    grownThreads,
    dips,
    partial,
    requests,
    errorRate,
    failedShare,
    blockSeconds,
    collapsedAt,
  } = soak;
  const leaking = series.filter(({ trend }) => trend?.leaks);
  const minutes = Math.max(0, ...series.flatMap(({ points }) => points.map(({ at }) => at)));
  return {
    title: `Soak of ${soak.cell}`,
    sentence: sentenceOf(soak, leaking, minutes),
    state: states[soakOutcome(soak)],
    because: [
      ...(failedShare <= mostFailed
        ? []
        : [
            `${leaking.length === 0 ? '' : `On average ${formatShare(failedShare)} of a block's requests failed. `}Failed requests may not reach the code that leaks, or a resource was used up: see service.log.${series
              .filter(({ trend }) => !trend?.leaks)
              .map(usedUpText)
              .join('')}`,
          ]),
      ...(partial === undefined ? [] : [`It ended early: ${partial}.`]),
      ...leaking.map(leakText),
      ...growingText(series),
      ...(collapsedAt === undefined
        ? []
        : [
            `From minute ${collapsedAt.toFixed(1)} on the service answered less than half as much as before, so trends end there.`,
          ]),
      ...(leaking.some(({ name }) => name === 'liveHeap') && grown.length > 0
        ? [
            `Classes that grew most: ${namesText(
              grown
                .slice(0, mostListed)
                .map(
                  ({ name, moreBytes, moreInstances }) =>
                    `${name} by ${formatBytes(moreBytes)} in ${objectsText(moreInstances)}`,
                ),
            )}.`,
          ]
        : []),
      ...(leaking.some(({ name }) => name === 'liveThreads') && grownThreads.length > 0
        ? [
            `Threads that became more: ${namesText(
              grownThreads.slice(0, mostListed).map(({ name, more }) => `${name} by ${formatCount(more)}`),
            )}. All of them are in threads.txt.`,
          ]
        : []),
      ...(dips.length === 0
        ? []
        : [
            `Throughput dipped ${atLeast(dips)}${countOf(dips.length, 'time')}: ${dips
              .slice(0, mostListed)
              .map(dipText)
              .join('; ')}.`,
          ]),
    ],
    tables: [seriesTable(series)],
    charts: series.map((one) => chartOf(one)),
    facts: [
      ...identityFacts(soak),
      {
        label: 'load',
        text: `${loadText(soak)} for ${minutes.toFixed(0)} min in blocks of ${blockSeconds} s, ${formatCount(requests)} requests, ${formatShare(errorRate)} errors; started ${soak.startedAt}`,
      },
    ],
    nextSteps: [],
  };
}

function loadText({ vus, arrival }: Soak): string {
  return arrival === undefined
    ? countOf(vus ?? 0, 'virtual user')
    : `${formatTps(arrival)} passes per second`;
}

/** What was in use to its limit. */
function usedUpText({ title, unit, points, most }: SoakSeries): string {
  if (most === undefined || !isUsedUp(points, most)) return '';
  return ` ${capitalised(title)}: at the limit of ${units[unit](most)} in the second half of the time.`;
}

function sentenceOf({ series, failedShare }: Soak, leaking: readonly SoakSeries[], minutes: number): string {
  if (leaking.length > 0) {
    return `${leaking.length === 1 ? 'a leak' : 'leaks'} in ${namesText(leaking.map(({ title }) => title))}.`;
  }
  if (failedShare > mostFailed) {
    return `on average ${formatShare(failedShare)} of a block's requests failed, so it cannot say whether anything leaks.`;
  }
  if (series.every(({ trend }) => trend === undefined)) return 'it was too short to see a trend.';
  return growing(series).length > 0
    ? `nothing has grown by enough to be a leak in ${minutes.toFixed(0)} minutes.`
    : `nothing leaks in ${minutes.toFixed(0)} minutes.`;
}

/** What grows for certain, but by too little so far. */
function growing(series: readonly SoakSeries[]): readonly SoakSeries[] {
  return series.filter(({ trend }) => trend?.grows && !trend.leaks);
}

function growingText(series: readonly SoakSeries[]): readonly string[] {
  const texts = growing(series).flatMap(({ title, unit, trend }) =>
    trend === undefined ? [] : [`${title} by ${units[unit](trend.growth.value)} a minute`],
  );
  return texts.length === 0
    ? []
    : [
        `Growth beyond chance, but below ${formatShare(largeGrowth)} of the level so far: ${namesText(texts)}. A longer soak shows whether it goes on.`,
      ];
}

/** A class can need more memory with fewer objects, as arrays do when they get longer. */
function objectsText(more: number): string {
  return `${formatCount(Math.abs(more))} ${more < 0 ? 'fewer' : 'more'} objects`;
}

function leakText({ title, unit, trend, most }: SoakSeries): string {
  if (trend === undefined) return '';
  const { growth, level, hoursLeft } = trend;
  if (most !== undefined && hoursLeft === undefined) {
    return `${capitalised(title)}: all ${units[unit](most)}, although no request runs then. The service does not give them back.`;
  }
  const end =
    hoursLeft === undefined || most === undefined
      ? ''
      : ` It reaches its limit of ${units[unit](most)} ${timeText(60 * hoursLeft)}.`;
  return `${capitalised(title)}: ${signed(unit, growth.value)} a minute [${signed(unit, growth.low)}, ${signed(unit, growth.high)}] at ${units[unit](level)}.${end}`;
}

function timeText(minutes: number): string {
  if (minutes < 1) return 'within a minute';
  if (minutes < mostMinutes) return `in about ${countOf(Math.round(minutes), 'minute')}`;
  const hours = minutes / 60;
  return `in about ${hours < 10 ? hours.toFixed(1) : hours.toFixed(0)} hours`;
}

function seriesTable(series: readonly SoakSeries[]): FindingTable {
  const right = (title: string, optional = false) => ({ title, align: 'right', optional }) as const;
  return {
    title: 'Over time',
    columns: [
      { title: 'quantity', align: 'left' },
      right('first'),
      right('last'),
      right('a minute'),
      right('[99.99%]', true),
      { title: '', align: 'left' },
    ],
    rows: series.map(({ title, unit, points, trend }) => ({
      cells: [
        title,
        units[unit](points[0]?.value ?? 0),
        units[unit](points.at(-1)?.value ?? 0),
        trend === undefined ? '' : signed(unit, trend.growth.value),
        trend === undefined ? '' : `[${signed(unit, trend.growth.low)}, ${signed(unit, trend.growth.high)}]`,
        trend?.leaks ? 'leaks' : trend?.grows ? 'grows' : '',
      ],
      ...(trend?.leaks && { state: 'bad' as const }),
    })),
    note: 'The beginning is left out of the trend, because caches and pools fill then.',
  };
}

function chartOf({ title, unit, points, trend }: SoakSeries): FixedChart {
  const say = units[unit];
  const last = points.at(-1)?.at ?? 1;
  const ends = [points[0]?.at ?? 0, last];
  return {
    title: capitalised(title),
    xTicks: ends.map((x) => ({ x, text: `${x.toFixed(0)} min` })),
    xRange: [0, last * 1.05],
    y: say,
    yScale: 'linear',
    lines: [
      {
        name: 'measured',
        className: 'head',
        joined: true,
        marked: points.length <= mostMarked,
        points: points.map(({ at, value }) => ({
          x: at,
          y: value,
          text: `${at.toFixed(1)} min: ${say(value)}`,
        })),
      },
      ...(trend === undefined
        ? []
        : [
            {
              name: 'trend',
              className: trend.leaks ? 'limit' : 'base',
              joined: true,
              marked: false,
              points: [trend.from, trend.to].map((x) => {
                const middle = (trend.from + trend.to) / 2;
                const y = Math.max(0, trend.level + trend.growth.value * (x - middle));
                return { x, y, text: say(y) };
              }),
            },
          ]),
    ],
  };
}
