import type { Config } from '../model/config.ts';
import type { Block } from '../model/run.ts';
import type { BootedService, Clock, Machine } from './ports.ts';

/** One look at how busy the stack is. Long enough for CPU clocks that tick every 10 ms. */
const lookMs = 250;
/** One look at whether the machine is left alone: long enough for what works in bursts. */
const quietLookMs = 1_000;
/** Cores below which a stack is idle whatever it did before: housekeeping of a JVM and a database. */
const idleCores = 0.2;
/** Share of the load's own CPU below which what is left of it is over. */
const idleShare = 0.25;
/** What is still at work by then is no leftover of the last block. */
const capMs = 30_000;

export interface IdleResult {
  readonly idle: boolean;
  readonly seconds: number;
}

/**
 * Waits until the stack has worked off what a block left: queries of users that gave up keep a database busy for
 * seconds, and the next cell would be measured beside them. `former` tells how busy the load itself had kept it, so
 * that a service which is never quite idle does not count as busy.
 */
export async function waitUntilIdle(
  clock: Clock,
  service: Pick<BootedService, 'readUsage'>,
  former: Pick<Block, 'usage'>,
  cpuCount: number,
  signal: AbortSignal,
): Promise<IdleResult> {
  const loadedCores = cpuCount * (cpuShare(former.usage.service) + cpuShare(former.usage.backing));
  const limit = Math.max(idleCores, idleShare * loadedCores);
  const begun = clock.monotonicMs();
  const elapsed = () => clock.monotonicMs() - begun;
  let before = readCpuSeconds(service);
  let from = begun;
  while (elapsed() < capMs) {
    await clock.wait(lookMs, signal);
    const now = readCpuSeconds(service);
    const at = clock.monotonicMs();
    const cores = (now - before) / ((at - from) / 1000);
    if (cores <= limit) return { idle: true, seconds: elapsed() / 1000 };
    before = now;
    from = at;
  }
  return { idle: false, seconds: elapsed() / 1000 };
}

/**
 * Waits until nothing else keeps the machine busy, by the limits that a block has to hold. For the time between blocks,
 * when nobody asks the service anything: whatever works then is a disturbance.
 */
export async function waitUntilQuiet(
  clock: Clock,
  machine: Pick<Machine, 'read'>,
  limits: Pick<Config['limits'], 'othersCpuShare' | 'stealShare'>,
  signal: AbortSignal,
): Promise<IdleResult> {
  const begun = clock.monotonicMs();
  const elapsed = () => clock.monotonicMs() - begun;
  let before = machine.read();
  while (elapsed() < capMs) {
    await clock.wait(quietLookMs, signal);
    const now = machine.read();
    const total = now.totalSeconds - before.totalSeconds;
    const busy = now.busySeconds - before.busySeconds;
    const stolen = now.stolenSeconds - before.stolenSeconds;
    if (busy <= limits.othersCpuShare * total && stolen <= limits.stealShare * total) {
      return { idle: true, seconds: elapsed() / 1000 };
    }
    before = now;
  }
  return { idle: false, seconds: elapsed() / 1000 };
}

function cpuShare(usage: { readonly cpuShare: number } | undefined): number {
  return usage?.cpuShare ?? 0;
}

function readCpuSeconds(service: Pick<BootedService, 'readUsage'>): number {
  return Object.values(service.readUsage()).reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
}
