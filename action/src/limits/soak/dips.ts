import { mean, median } from 'simple-statistics';
import type { MeasuredBlock } from '../../measure/index.ts';
import type { Dip } from '../../model/soak.ts';

/** Seconds below this share of the usual throughput are a dip, */
const dipShare = 0.6;
/** if there are so many in a row. A single second is often a collection or the host. */
const leastSeconds = 3;
const mostDips = 20;

/** Where throughput fell far below the median of all counted seconds, in order of time. */
export function dipsOf(blocks: readonly MeasuredBlock[], guardSeconds: number): readonly Dip[] {
  const counted = blocks.flatMap(({ seconds, block }) => {
    if (seconds === undefined) return [];
    const startedMs = Date.parse(seconds.startedAt);
    const last = Math.min(seconds.all.requests.length, Math.floor(guardSeconds + block.countedSeconds));
    const inBlock = seconds.all.requests
      .slice(0, last)
      .flatMap((requests, second) =>
        second < guardSeconds
          ? []
          : [{ atMs: startedMs + 1000 * second, requests, p95Ms: seconds.all.p95Ms[second] ?? null }],
      );
    return [inBlock];
  });
  const all = counted.flat().map(({ requests }) => requests);
  const usual = all.length === 0 ? 0 : median(all);
  const dips: Dip[] = [];
  for (const seconds of counted) {
    let run: typeof seconds = [];
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
    for (const second of seconds) {
      if (second.requests < dipShare * usual) run.push(second);
      else close();
    }
    close();
  }
  return dips.slice(0, mostDips);
}
