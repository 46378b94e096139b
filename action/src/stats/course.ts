import { mean } from 'simple-statistics';
import { type Course, type CourseQuantity, type CourseTrend, courseQuantities } from '../model/course.ts';
import { type CountedLoad, countedOf, dipsOf, usualTps } from './dips.ts';
import { settled, slopeOf } from './slope.ts';

/** Shorter loads have no course worth a report. */
const leastSeconds = 300;
/** The time is cut into so many batches. Their means are nearly independent. */
const batches = 30;
const level = 0.95;
const msPerMinute = 60_000;

interface Value {
  readonly atMs: number;
  readonly value: number;
}

/**
 * What happened over the counted time of a load: its dips, and the slopes of p95 and of memory with their intervals.
 * Undefined if it lasted less than five minutes.
 */
export function courseOf(load: CountedLoad): Course | undefined {
  const counted = countedOf(load);
  const [first] = counted;
  if (first === undefined || counted.length < leastSeconds) return undefined;
  const batchMs = (1000 * counted.length) / batches;
  return {
    minutes: counted.length / 60,
    usualTps: usualTps([load]),
    dips: [...dipsOf([load])],
    trends: courseQuantities.flatMap((of) => trendOf(of, valuesOf(of, load), first.atMs, batchMs)),
  };
}

function valuesOf(of: CourseQuantity, load: CountedLoad): readonly Value[] {
  if (of === 'p95') {
    return countedOf(load).flatMap(({ atMs, p95Ms }) => (p95Ms === null ? [] : [{ atMs, value: p95Ms }]));
  }
  const { seconds, guardSeconds, countedSeconds } = load;
  const startedMs = Date.parse(seconds.startedAt);
  return seconds.readAtSeconds.flatMap((at, index) => {
    const value = seconds.readings[of]?.[index] ?? null;
    const isCounted = at >= guardSeconds && at < guardSeconds + countedSeconds;
    return value === null || !isCounted ? [] : [{ atMs: startedMs + 1000 * at, value }];
  });
}

function trendOf(
  of: CourseQuantity,
  values: readonly Value[],
  fromMs: number,
  batchMs: number,
): readonly CourseTrend[] {
  const groups = Map.groupBy(values, ({ atMs }) => Math.floor((atMs - fromMs) / batchMs));
  const points = [...groups.values()].map((batch) => ({
    at: (mean(batch.map(({ atMs }) => atMs)) - fromMs) / msPerMinute,
    value: mean(batch.map(({ value }) => value)),
  }));
  const slope = slopeOf(settled(points), level);
  return slope === undefined ? [] : [{ of, level: slope.level, perMinute: { ...slope.growth } }];
}
