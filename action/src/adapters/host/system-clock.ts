import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../measure/index.ts';

export function createSystemClock(): Clock {
  return {
    now: () => new Date(),
    monotonicMs: () => performance.now(),
    async wait(ms, signal) {
      try {
        await delay(Math.max(0, ms), undefined, { signal });
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      }
    },
  };
}

/**
 * Waits for work that cannot be cancelled, but only until the abort: then the call rejects with the signal's reason.
 * The work itself may continue until the process ends, so nothing may rely on its unfinished result.
 */
export async function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
