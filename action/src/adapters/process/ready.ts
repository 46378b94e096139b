import type { Clock } from '../../measure/index.ts';

const pollMs = 50;
const answerTimeoutMs = 2_000;

/** What a service answers that runs, but wants to know who asks. */
const asksWho: ReadonlySet<number> = new Set([401, 403]);

/**
 * True if the address answers 2xx, 401 or 403 within two seconds. Rejects with the signal's reason once it aborts.
 */
export async function answersOk(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(url, {
      // A kept connection may be closed by the service just when the next caller takes it.
      headers: { connection: 'close' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]),
    });
    await response.arrayBuffer();
    return response.ok || asksWho.has(response.status);
  } catch {
    // No listener yet, or no answer in time: either way the service is not ready.
    signal.throwIfAborted();
    return false;
  }
}

interface ReadyOptions {
  readonly url: string;
  /** On `clock.monotonicMs()`. */
  readonly deadlineMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Throws once the service cannot become ready any more. */
  readonly check?: () => void;
}

/** Waits until the address answers as a ready service does. Resolves with false if it does not before the deadline. */
export async function waitUntilReady(options: ReadyOptions): Promise<boolean> {
  const { url, deadlineMs, clock, signal, check } = options;
  for (;;) {
    signal.throwIfAborted();
    check?.();
    if (await answersOk(url, signal)) return true;
    if (clock.monotonicMs() > deadlineMs) return false;
    await clock.wait(pollMs, signal);
  }
}
