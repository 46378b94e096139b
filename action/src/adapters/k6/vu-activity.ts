interface Activity {
  seenAtMs: number;
  /** When the user's iteration ended, until k6 reports that it was complete; 0 otherwise. */
  endedAtMs: number;
  /** Time that the user waited for answers since the iteration before. */
  waitedMs: number;
  /** How often each check failed since the user's last answer or iteration, by endpoint and then by check. */
  readonly failedChecks: Map<number, Map<number, number>>;
}

/**
 * Notes when each virtual user was last seen, and which checks failed since. k6 interrupts iterations thirty seconds after
 * the load and writes nothing about the request that it cuts off: a user who fell silent is the only trace.
 */
export class VuActivity {
  readonly #onCutOff: (sinceMs: number, atMs: number) => void;
  readonly #users = new Map<number, Activity>();
  #beganAtMs = 0;

  /** @param onCutOff gets when the interrupted user was last seen and when the iteration was cut off */
  constructor(onCutOff: (sinceMs: number, atMs: number) => void) {
    this.#onCutOff = onCutOff;
  }

  /** Call with the time of the first sample: no user has begun before. */
  begin(atMs: number): void {
    this.#beganAtMs = atMs;
  }

  /** Call when the user got an answer or gave up waiting for one. Returns when the user was seen before that. */
  seen(user: number, atMs: number): number {
    const activity = this.#of(user);
    const { seenAtMs } = activity;
    this.#reportCutOff(activity);
    activity.seenAtMs = atMs;
    activity.failedChecks.clear();
    return seenAtMs;
  }

  /** Call with time that the user waited for an answer. */
  waited(user: number, ms: number): void {
    this.#of(user).waitedMs += ms;
  }

  /** Call when an iteration ended. Returns how long its user waited for answers. */
  takeWaited(user: number): number {
    const activity = this.#of(user);
    const { waitedMs } = activity;
    activity.waitedMs = 0;
    return waitedMs;
  }

  /** Call when an iteration ended, complete or not. */
  iterationEnded(user: number, atMs: number): void {
    const activity = this.#of(user);
    this.#reportCutOff(activity);
    activity.endedAtMs = atMs;
    activity.failedChecks.clear();
  }

  /**
   * Call when a check of the user failed. False if it may be about a response of which another check failed before. k6
   * writes a row for each check of `check(response, { … })`, which names no response. But a response fails each check only
   * once, so at least as many of a batch failed as the check that failed most often has rows.
   */
  isAnotherFailure(user: number, endpoint: number, check: number): boolean {
    const { failedChecks } = this.#of(user);
    const counts = failedChecks.get(endpoint) ?? new Map<number, number>();
    failedChecks.set(endpoint, counts);
    const most = Math.max(0, ...counts.values());
    const count = (counts.get(check) ?? 0) + 1;
    counts.set(check, count);
    return count > most;
  }

  /** Call when the iteration that has just ended was complete. */
  iterationCompleted(user: number, atMs: number): void {
    const activity = this.#of(user);
    activity.endedAtMs = 0;
    activity.seenAtMs = atMs;
  }

  /** Call when no more samples will come. */
  finish(): void {
    for (const activity of this.#users.values()) this.#reportCutOff(activity);
  }

  #of(user: number): Activity {
    const known = this.#users.get(user);
    if (known !== undefined) return known;
    const activity: Activity = {
      seenAtMs: this.#beganAtMs,
      endedAtMs: 0,
      waitedMs: 0,
      failedChecks: new Map(),
    };
    // The number 0 means that the row names no user.
    if (user !== 0) this.#users.set(user, activity);
    return activity;
  }

  #reportCutOff(activity: Activity): void {
    if (activity.endedAtMs === 0) return;
    this.#onCutOff(activity.seenAtMs, activity.endedAtMs);
    activity.seenAtMs = activity.endedAtMs;
    activity.endedAtMs = 0;
  }
}
