import { blockSeconds, type PlannedCell } from './plan.ts';

/** How far the load of a measurement has progressed. */
export interface LoadProgress {
  /** Planned load of all blocks. */
  readonly loadSeconds: number;
  /** Planned load of the finished blocks, and the wall time that they took. */
  readonly finished: { readonly loadSeconds: number; readonly wallSeconds: number };
  /** Planned load of the current block, and its wall time so far. */
  readonly block: { readonly loadSeconds: number; readonly wallSeconds: number };
}

/** Seconds that starting and draining take around a block, until the first finished block shows it. */
const aroundBlock = 3;
/** Seconds of a block, until the first one has begun. */
const usualBlock = 10;

/** Finished share of the load, 0 to 1, and the expected wall time of the rest. */
export function timeLeft({ loadSeconds, finished, block }: LoadProgress): {
  readonly done: number;
  readonly secondsLeft: number;
} {
  const guess = 1 + aroundBlock / (block.loadSeconds || usualBlock);
  const pace = finished.loadSeconds === 0 ? guess : finished.wallSeconds / finished.loadSeconds;
  const within = Math.min(block.wallSeconds, block.loadSeconds);
  return {
    done: Math.min(1, (finished.loadSeconds + within) / loadSeconds),
    secondsLeft: Math.max(0, pace * (loadSeconds - finished.loadSeconds) - block.wallSeconds),
  };
}

/** How far the load has come, in planned seconds of load and in wall time. */
export function loadProgress(plannedSeconds: number, nowMs: () => number) {
  const begunMs = nowMs();
  let loadSeconds = plannedSeconds;
  let finished = { loadSeconds: 0, wallSeconds: 0 };
  let block: { readonly loadSeconds: number; readonly begunMs: number } | undefined;
  return {
    /** @param blocks below 0 if some of the planned ones are not needed */
    add: (cell: PlannedCell, blocks: number) => {
      loadSeconds += blockSeconds(cell) * blocks;
    },
    begin: (cell: PlannedCell) => {
      block = { loadSeconds: blockSeconds(cell), begunMs: nowMs() };
    },
    end: (cell: PlannedCell) => {
      block = undefined;
      finished = {
        loadSeconds: finished.loadSeconds + blockSeconds(cell),
        wallSeconds: (nowMs() - begunMs) / 1000,
      };
    },
    now: () =>
      timeLeft({
        loadSeconds,
        finished,
        block: {
          loadSeconds: block?.loadSeconds ?? 0,
          wallSeconds: block === undefined ? 0 : (nowMs() - block.begunMs) / 1000,
        },
      }),
  };
}
