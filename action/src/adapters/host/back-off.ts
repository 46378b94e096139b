import type { Clock } from '../../measure/index.ts';
import type { Fault } from '../../model/fault.ts';

export interface BackOff {
  /** Upper bound of the first wait. */
  readonly firstMs: number;
  /** Upper bound of every wait. */
  readonly mostMs: number;
  readonly attempts: number;
  /** No attempt begins later than this after the first one. */
  readonly withinMs: number;
}

/** How an attempt ended: `again` is worth another one; its fault is thrown if there is none left. */
export type Attempt<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'again'; readonly fault: (attempts: number, seconds: number) => Fault };

/**
 * Wait before the next attempt: "full jitter", uniform between nothing and an exponentially growing bound. Those who
 * collided part company, and it costs the fewest calls of the variants compared by Marc Brooker, "Exponential Backoff
 * And Jitter", AWS Architecture Blog, 2015.
 */
export function fullJitterMs(
  { firstMs, mostMs }: Pick<BackOff, 'firstMs' | 'mostMs'>,
  failures: number,
  random: () => number,
): number {
  return random() * Math.min(mostMs, firstMs * 2 ** (failures - 1));
}

/** Attempts until one is done, or count or time are used up. What an attempt throws ends it at once. */
export async function withBackOff<T>(
  backOff: BackOff,
  means: { readonly clock: Clock; readonly random: () => number; readonly signal: AbortSignal },
  attempt: () => Promise<Attempt<T>>,
): Promise<T> {
  const begun = means.clock.monotonicMs();
  for (let failures = 1; ; failures++) {
    const result = await attempt();
    if (result.kind === 'done') return result.value;
    const waitMs = fullJitterMs(backOff, failures, means.random);
    const spentMs = means.clock.monotonicMs() - begun;
    if (failures >= backOff.attempts || spentMs + waitMs > backOff.withinMs) {
      throw result.fault(failures, spentMs / 1000);
    }
    await means.clock.wait(waitMs, means.signal);
  }
}
