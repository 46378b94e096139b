import type { LoadSeconds } from '../model/series.ts';
import type { CountedShares } from './load-readings.ts';
import type { BlockScrapes, Scrape } from './signals.ts';

/** What is read between two blocks of one load. */
export interface Boundary {
  /** Monotonic. */
  readonly atMs: number;
  readonly scrape: Scrape;
}

/** What was read of a block that is over. */
export interface LoadWindow {
  readonly from: Boundary;
  readonly to: Boundary;
  readonly shares: CountedShares;
  readonly sampled: Readonly<Record<string, number>>;
}

const none: Scrape = { service: [], backing: [], generator: [] };

/** The counters at both ends, with the requests that ended between them. Without a window, nothing was read. */
export function scrapesOf(
  window: LoadWindow | undefined,
  seconds: LoadSeconds | undefined,
  begunMs: number,
): Omit<BlockScrapes, 'counted'> {
  if (window === undefined) return { before: none, after: none, during: [], requests: 0, seconds: 0 };
  const at = ({ atMs }: Boundary) => (atMs - begunMs) / 1000;
  const [from, to] = [at(window.from), at(window.to)];
  return {
    before: window.from.scrape,
    after: window.to.scrape,
    during: [],
    requests: requestsBetween(seconds, from, to),
    seconds: to - from,
  };
}

/** Requests that ended between two times, in seconds since the first request. */
function requestsBetween(seconds: LoadSeconds | undefined, from: number, to: number): number {
  const requests = seconds?.all.requests ?? [];
  return requests.reduce((sum, count, second) => {
    const share = Math.min(to, second + 1) - Math.max(from, second);
    return sum + Math.max(0, share) * count;
  }, 0);
}
