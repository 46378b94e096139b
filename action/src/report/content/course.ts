import {
  type Course,
  type CourseQuantity,
  type CourseTrend,
  type Dip,
  largeGrowth,
  mostDips,
} from '../../model/course.ts';
import type { CellVerdict } from '../../model/verdict.ts';
import { formatBytes, formatBytesChange, formatMs, formatMsChange, formatTps } from '../format/number.ts';

const mostListed = 5;

interface Quantity {
  readonly title: string;
  readonly level: (value: number) => string;
  readonly change: (value: number) => string;
}

const memory = { level: formatBytes, change: formatBytesChange };
const quantities: Readonly<Record<CourseQuantity, Quantity>> = {
  p95: { title: 'p95', level: formatMs, change: formatMsChange },
  serviceMemory: { title: "service's resident memory", ...memory },
  liveHeap: { title: 'heap after collections', ...memory },
};

/** `10:10:00 UTC for 14 s, 220 requests/s, p95 up to 750 ms`. */
export function dipText({ startedAt, seconds, tps, p95Ms }: Dip): string {
  const slowest = p95Ms === undefined ? '' : `, p95 up to ${formatMs(p95Ms)}`;
  return `${startedAt.slice(11, 19)} UTC for ${seconds} s, ${formatTps(tps)} requests/s${slowest}`;
}

/** `at least ` for as many dips as are kept, because there may have been more. */
export function atLeast(dips: readonly Dip[]): string {
  return dips.length < mostDips ? '' : 'at least ';
}

/** What a cell's throughput did in its dips, the first ones with their date; undefined without any. */
export function dipsText({ course }: Pick<CellVerdict, 'course'>): string | undefined {
  if (course === undefined || course.dips.length === 0) return undefined;
  const { dips, usualTps } = course;
  const shown = dips.slice(0, mostListed).map((dip) => `${dip.startedAt.slice(0, 10)} ${dipText(dip)}`);
  const hidden = dips.length - shown.length;
  const more = hidden > 0 ? `; and ${atLeast(dips)}${hidden} more` : '';
  return `${shown.join('; ')}${more}; usually ${formatTps(usualTps)} requests/s`;
}

/** `+2.00 ms [+1.90 ms, +2.10 ms]`. */
export function perMinuteText({ of, perMinute: { value, low, high } }: CourseTrend): string {
  const { change } = quantities[of];
  return `${change(value)} [${change(low)}, ${change(high)}]`;
}

export function trendTitle({ of }: CourseTrend): string {
  return quantities[of].title;
}

export function trendLevel({ of, level }: CourseTrend): string {
  return quantities[of].level(level);
}

/** True if it grew beyond chance, and over the whole time by so much that it matters. */
function hasGrown({ perMinute: { value, low }, level }: CourseTrend, { minutes }: Course): boolean {
  return low > 0 && value * minutes >= largeGrowth * level;
}

/** `p95 by +2.00 ms [+1.90 ms, +2.10 ms] per minute, 310 ms in the middle`, for what grew; undefined if nothing did. */
export function growthText({ course }: CellVerdict): string | undefined {
  const grown = course?.trends.filter((trend) => hasGrown(trend, course)) ?? [];
  if (grown.length === 0) return undefined;
  return grown
    .map(
      (trend) =>
        `${trendTitle(trend)} by ${perMinuteText(trend)} per minute, ${trendLevel(trend)} in the middle`,
    )
    .join('; ');
}
