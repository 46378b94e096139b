import { metrics, type RatioMetricName } from '../model/metric.ts';

/** A loss that is as good as everything; a loss of everything has no log. */
const whole = 1 - Number.EPSILON;

/** What a worsening has to exceed, on the log scale. */
interface LimitLogs {
  readonly toleranceLog: number;
  /** A worsening by less than the floor does not count. */
  readonly floorLog: number;
  /** An estimate counts from half of the limit, so that a limit of twice the floor lets it count from the floor. */
  readonly limitLog: number;
}

/** @param base the base's value in the metric's unit */
export function limitLogs(
  name: RatioMetricName,
  {
    tolerance,
    floorMs,
    vus,
    base,
  }: { readonly tolerance: number; readonly floorMs: number; readonly vus: number; readonly base: number },
): LimitLogs {
  const { worse, floor } = metrics[name];
  const toleranceLog = worse === 'higher' ? Math.log1p(tolerance) : -Math.log1p(-Math.min(tolerance, whole));
  const floorLog = Math.log1p(floorMs / floor.baseMs(base, vus));
  return { toleranceLog, floorLog, limitLog: Math.max(toleranceLog, 2 * floorLog) };
}
