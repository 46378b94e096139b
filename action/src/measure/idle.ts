import type { Config } from '../model/config.ts';
import type { Block } from '../model/run.ts';
import type { BootedService, Clock, Machine } from './ports.ts';

/** Interval between readings of the stack: long enough for CPU clocks that tick every 10 ms. */
const stackIntervalMs = 250;
/** Interval between readings of the machine: long enough for programs that work in bursts. */
const machineIntervalMs = 1_000;
/** A stack below this many cores is idle whatever it did before: a JVM and a database do housekeeping. */
const idleCores = 0.2;
/** The rest of a load is over below this share of the load's own CPU. */
const idleShare = 0.25;
/** Whatever still works after this long is not left over from the last block. */
const capMs = 30_000;

export interface IdleResult {
  readonly idle: boolean;
  readonly seconds: number;
}

interface Patience {
  readonly intervalMs: number;
  readonly atMostMs: number;
}

/** Checks in intervals until `isOver`, or until the time is up. */
async function waitUntil(
  clock: Clock,
  { intervalMs, atMostMs }: Patience,
  signal: AbortSignal,
  isOver: () => boolean,
): Promise<IdleResult> {
  const begun = clock.monotonicMs();
  const elapsedMs = () => clock.monotonicMs() - begun;
  while (elapsedMs() + intervalMs <= atMostMs) {
    await clock.wait(intervalMs, signal);
    if (isOver()) return { idle: true, seconds: elapsedMs() / 1000 };
  }
  return { idle: false, seconds: elapsedMs() / 1000 };
}

/**
 * Waits until the stack has worked off what a block left behind. Queries of users that gave up keep a database busy for
 * seconds, and would slow down the next cell. `former` says how busy the load itself kept the stack, so that a service
 * that is never quite idle does not count as busy.
 */
export function waitUntilIdle(
  clock: Clock,
  service: Pick<BootedService, 'readUsage'>,
  { usage }: Pick<Block, 'usage'>,
  cpuCount: number,
  signal: AbortSignal,
): Promise<IdleResult> {
  const loadedCores = cpuCount * ((usage.service?.cpuShare ?? 0) + (usage.backing?.cpuShare ?? 0));
  const limit = Math.max(idleCores, idleShare * loadedCores);
  const read = () => ({
    atMs: clock.monotonicMs(),
    cpuSeconds: Object.values(service.readUsage()).reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
  });
  let before = read();
  return waitUntil(clock, { intervalMs: stackIntervalMs, atMostMs: capMs }, signal, () => {
    const now = read();
    const cores = (now.cpuSeconds - before.cpuSeconds) / ((now.atMs - before.atMs) / 1000);
    before = now;
    return cores <= limit;
  });
}

/**
 * Waits until nothing else keeps the machine busy, by the limits that also apply to a block. Call it between blocks,
 * when the service receives no requests: whatever works then is a disturbance. Takes no longer than the given seconds.
 */
export function waitUntilQuiet(
  clock: Clock,
  machine: Pick<Machine, 'read'>,
  limits: Pick<Config['limits'], 'othersCpuShare' | 'stealShare'>,
  secondsAtMost: number,
  signal: AbortSignal,
): Promise<IdleResult> {
  let before = machine.read();
  const patience = { intervalMs: machineIntervalMs, atMostMs: Math.min(capMs, 1000 * secondsAtMost) };
  return waitUntil(clock, patience, signal, () => {
    const now = machine.read();
    const total = now.totalSeconds - before.totalSeconds;
    const busy = now.busySeconds - before.busySeconds;
    const stolen = now.stolenSeconds - before.stolenSeconds;
    before = now;
    return busy <= limits.othersCpuShare * total && stolen <= limits.stealShare * total;
  });
}
