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
