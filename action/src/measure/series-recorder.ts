import type { LoadSeconds, RequestSeries } from '../model/series.ts';
import type { LoadSink } from './ports.ts';
import { microsOf, newHistogram } from './response-times.ts';

/** The requests of one second, while samples of it may still come. */
class OpenSecond {
  /** Two digits: a point of a curve needs no more, and the memory is cleared every second. */
  readonly histogram = newHistogram(2);
  second = -1;
  requests = 0;
  failed = 0;
}

/** The seconds of one endpoint. A sample may come a second late, so the newest two seconds are open. */
class RequestSeconds {
  readonly #closed = new Map<number, ClosedSecond>();
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

  /** Closes all seconds before `to`, and returns those from `from` on. */
  between(from: number, to: number): RequestSeries {
    for (const open of [this.#former, this.#newest]) if (open.second < to) this.#close(open);
    const rows = secondsBetween(from, to).map((second) => this.#closed.get(second));
    const column = <T>(of: (row: ClosedSecond) => T, none: T): T[] =>
      rows.map((row) => (row === undefined ? none : of(row)));
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
      const earlier = this.#closed.get(second);
      this.#closed.set(second, {
        ...(earlier ?? { p50Ms: ms(50), p95Ms: ms(95), p99Ms: ms(99) }),
        // A sample that comes after its second was closed still counts, but moves no percentile.
        requests: requests + (earlier?.requests ?? 0),
        failed: failed + (earlier?.failed ?? 0),
      });
    }
    open.histogram.reset();
    open.requests = 0;
    open.failed = 0;
    open.second = -1;
  }
}

interface ClosedSecond {
  readonly requests: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

function secondsBetween(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}

/** Seconds that a load may go on after its planned end, because requests are still answered. */
const drainSeconds = 300;

/** How many seconds a load of that planned length can have at most. */
export function mostSeconds(plannedSeconds: number): number {
  return Math.ceil(plannedSeconds) + drainSeconds;
}

/** Samples may come so many seconds late, the second of the newest one included. */
const latestSeconds = 2;

/** Seconds of a load that still runs, and the number of the first one. */
export type PassedSeconds = LoadSeconds & { readonly from: number };

type TimedReadings = Pick<LoadSeconds, 'readAtSeconds' | 'readings'>;

/** Passes every sample to the recorders of the blocks, and those with a time to the recorder of their seconds. */
export function toAll(blocks: readonly LoadSink[], seconds: SeriesRecorder): LoadSink {
  const each = (tell: (block: LoadSink) => void) => {
    for (const block of blocks) tell(block);
  };
  return {
    request: (endpoint, endedAtMs, durationMs, failed, status) => {
      for (const block of blocks) block.request(endpoint, endedAtMs, durationMs, failed, status);
      seconds.request(endpoint, endedAtMs, durationMs, failed, status);
    },
    users: (atMs, users) => {
      each((block) => block.users(atMs, users));
      seconds.users(atMs, users);
    },
    failedCheck: (endpoint) => each((block) => block.failedCheck(endpoint)),
    iteration: (...pass) => each((block) => block.iteration(...pass)),
    received: (bytes) => each((block) => block.received(bytes)),
    metric: (name, atMs, value) => each((block) => block.metric(name, atMs, value)),
    exception: (fromMs) => each((block) => block.exception(fromMs)),
    dropped: (atMs) => each((block) => block.dropped(atMs)),
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
  /** Seconds that were passed on. */
  #passed = 0;

  /** @param mostSeconds the last one takes whatever comes later, as after a clock that was set forward */
  constructor(mostSeconds: number) {
    this.#mostSeconds = mostSeconds;
  }

  request(endpoint: string, endedAtMs: number, durationMs: number, failed: boolean, status: number): void {
    this.#startedAtMs ??= endedAtMs - durationMs;
    const second = this.#secondOf(endedAtMs);
    this.#seconds = Math.max(this.#seconds, second + 1);
    const micros = microsOf(durationMs);
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

  /** All seconds. Undefined without any request. */
  finish(readings: TimedReadings): LoadSeconds | undefined {
    return this.#between(0, this.#seconds, readings);
  }

  /** The seconds since the last call that no sample can still come for, as a series of their own; undefined if none. */
  passed(readings: TimedReadings): PassedSeconds | undefined {
    const from = this.#passed;
    const to = this.#seconds - latestSeconds;
    if (to <= from) return undefined;
    this.#passed = to;
    const seconds = this.#between(from, to, readings);
    return seconds === undefined ? undefined : { ...seconds, from };
  }

  #between(from: number, to: number, { readAtSeconds, readings }: TimedReadings): LoadSeconds | undefined {
    if (this.#startedAtMs === undefined) return undefined;
    const seconds = secondsBetween(from, to);
    // The last readings may be later than the last request.
    const read = [...readAtSeconds.keys()].filter((index) => {
      const at = readAtSeconds[index] ?? 0;
      return at >= from && (at < to || to === this.#seconds);
    });
    const taken = <T>(values: readonly T[]): T[] => read.flatMap((index) => values.slice(index, index + 1));
    return {
      startedAt: new Date(this.#startedAtMs + from * 1000).toISOString(),
      users: seconds.map((second) => this.#users.get(second) ?? null),
      all: this.#all.between(from, to),
      endpoints: Object.fromEntries(
        [...this.#endpoints]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, own]) => [name, own.between(from, to)]),
      ),
      failures: Object.fromEntries(
        [...this.#failures].map(([status, bySecond]) => [
          String(status),
          seconds.map((second) => bySecond.get(second) ?? 0),
        ]),
      ),
      readAtSeconds: taken(readAtSeconds).map((at) => Math.round((at - from) * 1000) / 1000),
      readings: Object.fromEntries(Object.entries(readings).map(([name, values]) => [name, taken(values)])),
    };
  }

  /** A clock that is set back must not put requests before the first one. */
  #secondOf(atMs: number): number {
    const second = Math.floor((atMs - (this.#startedAtMs ?? atMs)) / 1000);
    return Math.min(this.#mostSeconds - 1, Math.max(0, second));
  }
}
