import { mean, median } from 'simple-statistics';
import { type Dip, mostDips } from '../model/course.ts';
import type { LoadSeconds } from '../model/series.ts';

/** What a load did in each second, and which of its seconds count. */
export interface CountedLoad {
  readonly seconds: Pick<LoadSeconds, 'startedAt' | 'all' | 'readAtSeconds' | 'readings'>;
  readonly guardSeconds: number;
  readonly countedSeconds: number;
}

export interface CountedSecond {
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  readonly requests: number;
  /** Null if no request ended. */
  readonly p95Ms: number | null;
}

/** Seconds below this share of the usual throughput are a dip, */
const dipShare = 0.6;
/** if there are so many in a row. A single second is often a collection or the host. */
const leastSeconds = 3;

/** The seconds of a load that count. */
export function countedOf({ seconds, guardSeconds, countedSeconds }: CountedLoad): readonly CountedSecond[] {
  const startedMs = Date.parse(seconds.startedAt);
  const { requests, p95Ms } = seconds.all;
  const last = Math.min(requests.length, Math.floor(guardSeconds + countedSeconds));
  return requests
    .slice(0, last)
    .flatMap((count, second) =>
      second < guardSeconds
        ? []
        : [{ atMs: startedMs + 1000 * second, requests: count, p95Ms: p95Ms[second] ?? null }],
    );
}

/** The median throughput of all counted seconds; 0 without any. */
export function usualTps(loads: readonly CountedLoad[]): number {
  const all = loads.flatMap((load) => countedOf(load).map(({ requests }) => requests));
  return all.length === 0 ? 0 : median(all);
}

/** Where throughput fell far below the usual one, in order of time. */
export function dipsOf(loads: readonly CountedLoad[]): readonly Dip[] {
  const usual = usualTps(loads);
  const dips: Dip[] = [];
  for (const load of loads) {
    let run: CountedSecond[] = [];
    const close = () => {
      const [first] = run;
      if (first !== undefined && run.length >= leastSeconds) {
        const p95s = run.flatMap(({ p95Ms }) => (p95Ms === null ? [] : [p95Ms]));
        dips.push({
          startedAt: new Date(first.atMs).toISOString(),
          seconds: run.length,
          tps: mean(run.map(({ requests }) => requests)),
          ...(p95s.length > 0 && { p95Ms: Math.max(...p95s) }),
        });
      }
      run = [];
    };
    for (const second of countedOf(load)) {
      if (second.requests < dipShare * usual) run.push(second);
      else close();
    }
    close();
  }
  return dips.slice(0, mostDips);
}
