import { pageReadings } from '../model/reading.ts';
import type { MetricSeries } from './ports.ts';

/**
 * Series of which a sum over instances means nothing. Each says the same of the machine, or names the longest or the fullest
 * of something, a share of its own limit, or a point in time. The names are Micrometer's and those of Prometheus clients.
 */
const notAdded =
  /^system_|_(?:seconds|milliseconds|bytes|lag)_max$|_max_seconds$|_(?:percent|ratio)$|_lag(?:_\w+)?_seconds$|_(?:start_time|uptime)_seconds$|_info$/;

const [liveHeap] = pageReadings.liveHeap.series;

/** Until a JVM first collects its old generation, Micrometer reports 0, which is no size. */
const isUnknownLiveHeap = ({ name, value }: MetricSeries) => name === liveHeap && value === 0;

/**
 * The pages of all instances as one. Counters add up, and so do gauges such as connections in use or heap. What cannot be
 * added is the largest of the instances, and so are quantiles. If one page could not be read, none counts: a sum that lacks
 * an instance would look like a fall. Nor is the live heap known before each instance knows its own.
 */
export function combinedPages(read: readonly (readonly MetricSeries[])[]): readonly MetricSeries[] {
  const pages = read.some((page) => page.some(isUnknownLiveHeap))
    ? read.map((page) => page.filter(({ name }) => name !== liveHeap))
    : read;
  const [first = [], ...others] = pages;
  if (others.length === 0) return first;
  if (pages.some(({ length }) => length === 0)) return [];
  const combined = new Map<string, MetricSeries>();
  for (const series of pages.flat()) {
    const { name, labels, value } = series;
    const key = JSON.stringify([name, Object.entries(labels).toSorted()]);
    const former = combined.get(key)?.value;
    const adds = !notAdded.test(name) && labels.quantile === undefined;
    const together = former === undefined ? value : adds ? former + value : Math.max(former, value);
    combined.set(key, { ...series, value: together });
  }
  return [...combined.values()];
}
