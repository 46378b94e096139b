import type { Clock } from './ports.ts';

const intervalMs = 1_000;

/** Waits until a monotonic time or the end of the load, and calls `onInterval` about once a second. */
export async function everySecond(
  clock: Clock,
  untilMs: number,
  ended: Promise<'ended'>,
  signal: AbortSignal,
  onInterval: () => void | Promise<void>,
): Promise<void> {
  for (;;) {
    const leftMs = untilMs - clock.monotonicMs();
    if (leftMs <= 0) return;
    const which = await Promise.race([ended, clock.wait(Math.min(intervalMs, leftMs), signal)]);
    if (which === 'ended') return;
    if (leftMs > intervalMs) await onInterval();
  }
}
