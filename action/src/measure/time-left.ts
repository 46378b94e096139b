/** How far the load of a measurement has progressed. */
export interface LoadProgress {
  /** Planned load of all blocks. */
  readonly loadSeconds: number;
  /** Planned load of the finished blocks, and the wall time that they took. */
  readonly finished: { readonly loadSeconds: number; readonly wallSeconds: number };
  /** Planned load of the current block, and its wall time so far. */
  readonly block: { readonly loadSeconds: number; readonly wallSeconds: number };
}

/** Wall time per second of load, including start and drain, until the first finished block shows it. */
const firstGuess = 1.3;

/** Finished share of the load, 0 to 1, and the expected wall time of the rest. */
export function timeLeft({ loadSeconds, finished, block }: LoadProgress): {
  readonly done: number;
  readonly secondsLeft: number;
} {
  const pace = finished.loadSeconds === 0 ? firstGuess : finished.wallSeconds / finished.loadSeconds;
  const within = Math.min(block.wallSeconds, block.loadSeconds);
  return {
    done: Math.min(1, (finished.loadSeconds + within) / loadSeconds),
    secondsLeft: Math.max(0, pace * (loadSeconds - finished.loadSeconds) - block.wallSeconds),
  };
}
