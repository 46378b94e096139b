import type { Clock } from './ports.ts';

const intervalMs = 1_000;

/**
 * Waits until a monotonic time or the end of the load, and calls `onInterval` about once a second. Returns true if it is
 * too late to read anything at that time: the load has ended, or `onInterval` took longer, as it does with a slow page.
 */
export async function everySecond(
  clock: Clock,
  untilMs: number,
  ended: Promise<'ended'>,
  signal: AbortSignal,
  onInterval: () => void | Promise<void>,
): Promise<boolean> {
  for (;;) {
    const leftMs = untilMs - clock.monotonicMs();
    if (leftMs <= 0) return false;
    const which = await Promise.race([ended, clock.wait(Math.min(intervalMs, leftMs), signal)]);
    if (which === 'ended') return true;
    if (leftMs <= intervalMs) continue;
    await onInterval();
    if (clock.monotonicMs() > untilMs) return true;
  }
}
