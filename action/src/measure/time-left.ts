/** How far the load of a measurement has come. */
export interface LoadProgress {
  /** Load of all blocks together, as planned. */
  readonly loadSeconds: number;
  /** Of the blocks that are over: their load as planned, and the wall time that it took. */
  readonly finished: { readonly loadSeconds: number; readonly wallSeconds: number };
  /** Of the block under way: its load as planned, and the wall time so far. */
  readonly block: { readonly loadSeconds: number; readonly wallSeconds: number };
}

/** What a block costs beyond its load (start, drain) is only known from the blocks so far; until then this. */
const firstGuess = 1.3;

/** Share of the load that is over, 0 to 1, and the wall time that the rest will take. */
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
