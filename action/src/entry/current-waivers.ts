import type { Config } from '../model/config.ts';
import { Fault } from '../model/fault.ts';
import { expiredWaivers } from '../model/waiver.ts';

/** The day in UTC, as waivers name it. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/** Refuses a configuration with a waiver that has ended, so that none outlives what it was for. */
export function requireCurrentWaivers({ waivers }: Config, now: Date, place: string): void {
  const [expired] = expiredWaivers(waivers, dayOf(now));
  if (expired === undefined) return;
  const { cell, metric, until, reason } = expired;
  throw new Fault({
    code: 'E_WAIVER_EXPIRED',
    kind: 'usage',
    place,
    cause: `the waiver of ${metric} in ${cell} ended on ${until} (${reason})`,
    nextStep: 'fix the regression and delete the waiver, or set a later `until` for it on the default branch',
  });
}

/** The configuration without the waivers that have ended. */
export function withCurrentWaivers(config: Config, now: Date): Config {
  const today = dayOf(now);
  return { ...config, waivers: config.waivers.filter(({ until }) => until >= today) };
}
