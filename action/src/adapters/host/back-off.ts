import type { Clock } from '../../measure/index.ts';
import type { Fault } from '../../model/fault.ts';

export interface BackOff {
  /** Upper bound of the first wait. */
  readonly firstMs: number;
  /** Upper bound of every wait. */
  readonly mostMs: number;
  readonly attempts: number;
  /** No attempt starts later than this after the first one. */
  readonly withinMs: number;
}

/** Result of an attempt: `again` asks for another one, and its fault is thrown if none is left. */
export type Attempt<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'again'; readonly fault: (attempts: number, seconds: number) => Fault };

/**
 * Wait before the next attempt: "full jitter", which is uniform between zero and an exponentially growing bound. It
 * separates callers that collided, with the fewest calls of all variants compared in Marc Brooker, "Exponential Backoff
 * And Jitter", AWS Architecture Blog, 2015.
 */
export function fullJitterMs(
  { firstMs, mostMs }: Pick<BackOff, 'firstMs' | 'mostMs'>,
  failures: number,
  random: () => number,
): number {
  return random() * Math.min(mostMs, firstMs * 2 ** (failures - 1));
}

/** Repeats the attempt until it is done, or count or time are used up. An attempt that throws ends this at once. */
export async function withBackOff<T>(
  backOff: BackOff,
  means: { readonly clock: Clock; readonly random: () => number; readonly signal: AbortSignal },
  attempt: () => Promise<Attempt<T>>,
): Promise<T> {
  const started = means.clock.monotonicMs();
  for (let failures = 1; ; failures++) {
    const result = await attempt();
    if (result.kind === 'done') return result.value;
    const waitMs = fullJitterMs(backOff, failures, means.random);
    const spentMs = means.clock.monotonicMs() - started;
    if (failures >= backOff.attempts || spentMs + waitMs > backOff.withinMs) {
      throw result.fault(failures, spentMs / 1000);
    }
    await means.clock.wait(waitMs, means.signal);
  }
}
