import type { Clock } from './ports.ts';

/**
 * Notices when somebody sets the wall clock. The generator dates its samples by the wall clock, while the gate waits and
 * reads by a clock that nobody can set.
 */
export class ClockWatch {
  readonly #clock: Clock;
  readonly #beganMs: number;
  readonly #aheadMs: number;
  #stepMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#beganMs = clock.monotonicMs();
    this.#aheadMs = this.#readAheadMs();
  }

  /** Compares the clocks. Call it often enough that a step and its opposite do not cancel. */
  check(): void {
    const stepMs = this.#readAheadMs() - this.#aheadMs;
    if (Math.abs(stepMs) > Math.abs(this.#stepMs)) this.#stepMs = stepMs;
  }

  /** The largest step seen: forward if positive, back if negative. */
  get stepSeconds(): number {
    return this.#stepMs / 1000;
  }

  /** The monotonic time of a wall time since the watch began, even if the wall clock was set in between. */
  monotonicMsOf(wallMs: number): number {
    return Math.min(this.#clock.monotonicMs(), Math.max(this.#beganMs, wallMs - this.#aheadMs));
  }

  #readAheadMs(): number {
    return this.#clock.now().getTime() - this.#clock.monotonicMs();
  }
}
