/** Virtual users that are tracked one by one; a test on one machine has thousands. */
const maxUsers = 1 << 20;

/**
 * Notes when each virtual user was last seen. k6 interrupts iterations thirty seconds after the load and writes nothing
 * about the request that it cuts off: a user who fell silent is the only trace.
 */
export class VuActivity {
  readonly #onCutOff: (sinceMs: number, atMs: number) => void;
  #beganAtMs = 0;
  /** By the user's number; 0 if not seen yet. */
  #seenAtMs = new Float64Array(1024);
  /** When the user's iteration ended, until k6 reports that it was complete. */
  #endedAtMs = new Float64Array(1024);

  /** @param onCutOff gets when the interrupted user was last seen and when the iteration was cut off */
  constructor(onCutOff: (sinceMs: number, atMs: number) => void) {
    this.#onCutOff = onCutOff;
  }

  /** Call with the time of the first sample: no user has begun before. */
  begin(atMs: number): void {
    this.#beganAtMs = atMs;
  }

  /** Call when the user got an answer or gave up waiting for one. */
  seen(user: number, atMs: number): void {
    if (!this.#tracks(user)) return;
    this.#reportCutOff(user);
    this.#seenAtMs[user] = atMs;
  }

  lastSeenMs(user: number): number {
    return this.#seenAtMs[user] || this.#beganAtMs;
  }

  /** Call when an iteration ended, complete or not. */
  iterationEnded(user: number, atMs: number): void {
    if (!this.#tracks(user)) return;
    this.#reportCutOff(user);
    this.#endedAtMs[user] = atMs;
  }

  /** Call when the iteration that has just ended was complete. */
  iterationCompleted(user: number, atMs: number): void {
    if (!this.#tracks(user)) return;
    this.#endedAtMs[user] = 0;
    this.#seenAtMs[user] = atMs;
  }

  /** Call when no more samples will come. */
  finish(): void {
    for (const user of this.#endedAtMs.keys()) this.#reportCutOff(user);
  }

  #reportCutOff(user: number): void {
    const endedAtMs = this.#endedAtMs[user] ?? 0;
    if (endedAtMs === 0) return;
    this.#onCutOff(this.lastSeenMs(user), endedAtMs);
    this.#endedAtMs[user] = 0;
    this.#seenAtMs[user] = endedAtMs;
  }

  /** False for 0, which means that the row names no user. */
  #tracks(user: number): boolean {
    if (user >= this.#seenAtMs.length && user < maxUsers) {
      this.#seenAtMs = widened(this.#seenAtMs, 2 * user);
      this.#endedAtMs = widened(this.#endedAtMs, 2 * user);
    }
    return user > 0 && user < this.#seenAtMs.length;
  }
}

function widened(values: Float64Array, length: number): Float64Array<ArrayBuffer> {
  const wider = new Float64Array(length);
  wider.set(values);
  return wider;
}
