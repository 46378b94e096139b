/** Virtual users that are told apart; a test of one machine has thousands. */
const MAX_USERS = 1 << 20;

/**
 * When each virtual user was last heard of. k6 writes nothing about a request that it cuts off with its pass, thirty
 * seconds after the load: that somebody went silent is all there is to see of it.
 */
export class K6Passes {
  readonly #onCutOff: (sinceMs: number, atMs: number) => void;
  #begunAtMs = 0;
  /** By the number of the user; 0 if not yet. */
  #heardAtMs = new Float64Array(1024);
  /** When the user's pass ended, until k6 says that it ended whole. */
  #endedAtMs = new Float64Array(1024);

  /** `onCutOff` gets the last sign of life of a user whose pass was cut off, and when that was. */
  constructor(onCutOff: (sinceMs: number, atMs: number) => void) {
    this.#onCutOff = onCutOff;
  }

  /** The first sample of all: nobody has begun before. */
  begin(atMs: number): void {
    this.#begunAtMs = atMs;
  }

  /** An answer, or the end of waiting for one. */
  heard(user: number, atMs: number): void {
    if (!this.#knows(user)) return;
    this.#settle(user);
    this.#heardAtMs[user] = atMs;
  }

  /** When the user was last heard of. */
  heardAtMs(user: number): number {
    return this.#heardAtMs[user] || this.#begunAtMs;
  }

  /** The end of a pass, whole or not. */
  ended(user: number, atMs: number): void {
    if (!this.#knows(user)) return;
    this.#settle(user);
    this.#endedAtMs[user] = atMs;
  }

  /** The pass that has just ended was whole. */
  whole(user: number, atMs: number): void {
    if (!this.#knows(user)) return;
    this.#endedAtMs[user] = 0;
    this.#heardAtMs[user] = atMs;
  }

  /** Nothing more will come. */
  finish(): void {
    for (const user of this.#endedAtMs.keys()) this.#settle(user);
  }

  #settle(user: number): void {
    const endedAtMs = this.#endedAtMs[user] ?? 0;
    if (endedAtMs === 0) return;
    this.#onCutOff(this.heardAtMs(user), endedAtMs);
    this.#endedAtMs[user] = 0;
    this.#heardAtMs[user] = endedAtMs;
  }

  /** False for 0, which stands for nobody. */
  #knows(user: number): boolean {
    if (user >= this.#heardAtMs.length && user < MAX_USERS) {
      this.#heardAtMs = widened(this.#heardAtMs, user);
      this.#endedAtMs = widened(this.#endedAtMs, user);
    }
    return user > 0 && user < this.#heardAtMs.length;
  }
}

function widened(values: Float64Array, index: number): Float64Array<ArrayBuffer> {
  const wider = new Float64Array(2 * index);
  wider.set(values);
  return wider;
}
