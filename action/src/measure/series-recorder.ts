import { build, type Histogram } from 'hdr-histogram-js';
import type { LoadSeconds, RequestSeries } from '../model/series.ts';
import type { LoadSink } from './ports.ts';

const highestMicros = 3_600_000_000;

/** Two significant digits: a point of a curve needs no more, and its memory is cleared every second. */
function newHistogram(): Histogram {
  return build({
    bitBucketSize: 32,
    autoResize: true,
    lowestDiscernibleValue: 1,
    highestTrackableValue: 2,
    numberOfSignificantValueDigits: 2,
  });
}

/** The requests of one second, while samples of it may still come. */
class OpenSecond {
  readonly histogram = newHistogram();
  second = -1;
  requests = 0;
  failed = 0;
}

/** The seconds of one endpoint. A sample may come a second late, so the newest two seconds are open. */
class RequestSeconds {
  readonly #closed: OpenedRow[] = [];
  #newest = new OpenSecond();
  #former = new OpenSecond();

  add(second: number, micros: number, failed: boolean): void {
    if (second > this.#newest.second) {
      this.#close(this.#former);
      const freed = this.#former;
      this.#former = this.#newest;
      this.#newest = freed;
      freed.second = second;
    }
    const open = second >= this.#newest.second ? this.#newest : this.#former;
    // The first sample of an endpoint may be followed by one of an earlier second.
    if (open.second < 0) open.second = second;
    open.requests += 1;
    if (failed) open.failed += 1;
    open.histogram.recordValue(micros);
  }

  /** Closes all seconds. */
  finish(seconds: number): RequestSeries {
    this.#close(this.#former);
    this.#close(this.#newest);
    const bySecond = new Map(this.#closed.map((row) => [row.second, row]));
    const column = <T>(of: (row: OpenedRow) => T, none: T): T[] =>
      Array.from({ length: seconds }, (_, second) => {
        const row = bySecond.get(second);
        return row === undefined ? none : of(row);
      });
    return {
      requests: column(({ requests }) => requests, 0),
      failed: column(({ failed }) => failed, 0),
      p50Ms: column<number | null>(({ p50Ms }) => p50Ms, null),
      p95Ms: column<number | null>(({ p95Ms }) => p95Ms, null),
      p99Ms: column<number | null>(({ p99Ms }) => p99Ms, null),
    };
  }

  #close(open: OpenSecond): void {
    if (open.requests > 0) {
      const ms = (percentile: number) => open.histogram.getValueAtPercentile(percentile) / 1000;
      const { second, requests, failed } = open;
      this.#closed.push({ second, requests, failed, p50Ms: ms(50), p95Ms: ms(95), p99Ms: ms(99) });
    }
    open.histogram.reset();
    open.requests = 0;
    open.failed = 0;
    open.second = -1;
  }
}

interface OpenedRow {
  readonly second: number;
  readonly requests: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

/** Seconds that a load may go on after its planned end, because requests are still answered. */
const drainSeconds = 300;

/** How many seconds a load of that planned length can have at most. */
export function mostSeconds(plannedSeconds: number): number {
  return Math.ceil(plannedSeconds) + drainSeconds;
}

/** Passes every sample to the recorder of the block, and those with a time to the recorder of its seconds. */
export function both(block: LoadSink, seconds: SeriesRecorder): LoadSink {
  return {
    request: (endpoint, endedAtMs, durationMs, failed, status) => {
      block.request(endpoint, endedAtMs, durationMs, failed, status);
      seconds.request(endpoint, endedAtMs, durationMs, failed, status);
    },
    users: (atMs, users) => {
      block.users(atMs, users);
      seconds.users(atMs, users);
    },
    failedCheck: (endpoint) => block.failedCheck(endpoint),
    iteration: (endedAtMs) => block.iteration(endedAtMs),
    received: (bytes) => block.received(bytes),
    exception: (fromMs) => block.exception(fromMs),
    dropped: (atMs) => block.dropped(atMs),
  };
}

/** Turns the generator's samples into figures per second. Time starts with the first request. */
export class SeriesRecorder implements Pick<LoadSink, 'request' | 'users'> {
  readonly #all = new RequestSeconds();
  readonly #endpoints = new Map<string, RequestSeconds>();
  /** By status, then by second. */
  readonly #failures = new Map<number, Map<number, number>>();
  readonly #users = new Map<number, number>();
  readonly #mostSeconds: number;
  #startedAtMs: number | undefined;
  #seconds = 0;

  /** @param mostSeconds the last one takes whatever comes later, as after a clock that was set forward */
  constructor(mostSeconds: number) {
    this.#mostSeconds = mostSeconds;
  }

  request(endpoint: string, endedAtMs: number, durationMs: number, failed: boolean, status: number): void {
    this.#startedAtMs ??= endedAtMs - durationMs;
    const second = this.#secondOf(endedAtMs);
    this.#seconds = Math.max(this.#seconds, second + 1);
    const micros = Math.min(highestMicros, Math.max(1, Math.round(durationMs * 1000)));
    this.#all.add(second, micros, failed);
    let own = this.#endpoints.get(endpoint);
    if (own === undefined) {
      own = new RequestSeconds();
      this.#endpoints.set(endpoint, own);
    }
    own.add(second, micros, failed);
    if (!failed) return;
    let bySecond = this.#failures.get(status);
    if (bySecond === undefined) {
      bySecond = new Map();
      this.#failures.set(status, bySecond);
    }
    bySecond.set(second, (bySecond.get(second) ?? 0) + 1);
  }

  users(atMs: number, users: number): void {
    // The generator reports users before the first request too.
    if (this.#startedAtMs !== undefined) this.#users.set(this.#secondOf(atMs), users);
  }

  /** Undefined without any request. */
  finish(readings: Pick<LoadSeconds, 'readAtSeconds' | 'readings'>): LoadSeconds | undefined {
    if (this.#startedAtMs === undefined) return undefined;
    const seconds = this.#seconds;
    const indices = Array.from({ length: seconds }, (_, second) => second);
    return {
      startedAt: new Date(this.#startedAtMs).toISOString(),
      users: indices.map((second) => this.#users.get(second) ?? null),
      all: this.#all.finish(seconds),
      endpoints: Object.fromEntries(
        [...this.#endpoints]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, own]) => [name, own.finish(seconds)]),
      ),
      failures: Object.fromEntries(
        [...this.#failures].map(([status, bySecond]) => [
          String(status),
          indices.map((second) => bySecond.get(second) ?? 0),
        ]),
      ),
      ...readings,
    };
  }

  /** A clock that is set back must not put requests before the first one. */
  #secondOf(atMs: number): number {
    const second = Math.floor((atMs - (this.#startedAtMs ?? atMs)) / 1000);
    return Math.min(this.#mostSeconds - 1, Math.max(0, second));
  }
}
