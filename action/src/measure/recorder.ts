import { encodeIntoCompressedBase64, type Histogram } from 'hdr-histogram-js';
import type { EndpointBlock, Latency } from '../model/run.ts';
import { ownEndpoints } from '../model/run.ts';
import { MetricValues } from './metric-values.ts';
import type { LoadSink } from './ports.ts';
import { microsOf, newHistogram } from './response-times.ts';

const halfSecondMs = 500;

class EndpointRecord {
  readonly histogram = newHistogram(3);
  requests = 0;
  failed = 0;
  failedChecks = 0;
  /** Whether the request that ended last was counted. */
  lastCounted = false;

  /** A failed check usually concerns a request that failed too, so this is the larger count and not the sum. */
  get errors(): number {
    return Math.min(this.requests, Math.max(this.failed, this.failedChecks));
  }
}

/** Figures of the counted interval so far. */
export interface LiveFigures {
  readonly errors: number;
  /** Over the last whole second. */
  readonly tps: number;
  readonly p95Ms: number;
}

export interface Recording {
  /** Requests that began within the counted interval, without preparations; errors, latency and endpoints are theirs. */
  readonly requests: number;
  readonly errors: number;
  readonly iterations: number;
  /** Passes that could not begin within the counted interval. */
  readonly dropped: number;
  /** Mean seconds of a pass, and the part of it in which its user waited for no response; absent without passes. */
  readonly pass?: { readonly seconds: number; readonly ownSeconds: number };
  /** Passes of the whole load that ended, were cut off or were dropped. */
  readonly passesInAll: number;
  /** Seconds of the counted interval. */
  readonly countedSeconds: number;
  /** Passes of the counted interval that an exception ended. They are counted as errors too. */
  readonly exceptions: number;
  /** Requests that ended within the counted interval, per second of it. */
  readonly tps: number;
  readonly latency: Latency;
  readonly endpoints: readonly EndpointBlock[];
  /** Requests of the whole load, guard interval and drain included, to match the growth of the service's counters. */
  readonly requestsInAll: number;
  readonly errorsInAll: number;
  /** Bytes of all responses, headers included. */
  readonly receivedBytesInAll: number;
  /** Values of the counted interval, by the metric's name. */
  readonly metrics: ReadonlyMap<string, MetricValues>;
}

/**
 * Turns the generator's samples into the figures of one block. Time starts with the first request, and [guard, guard +
 * counted) is counted. A request counts at its start, because one that hangs longer than the load would otherwise
 * belong to no block. Throughput counts requests at their end. A script usually throws after a failed response, so an
 * exception and a failed request count as one error.
 */
export class Recorder implements LoadSink {
  readonly #guardMs: number;
  readonly #countedMs: number;
  readonly #countsAll: boolean;
  readonly #endpoints = new Map<string, EndpointRecord>();
  #looseFailedChecks = 0;
  #lastCounted = false;
  #startedAtMs: number | undefined;
  #firstBeginMs = Number.POSITIVE_INFINITY;
  #lastEndMs = 0;
  #iterations = 0;
  #passMs = 0;
  #ownMs = 0;
  readonly #droppedAtMs: number[] = [];
  #passesInAll = 0;
  #endedInTime = 0;
  #requestsInAll = 0;
  #errorsInAll = 0;
  #receivedBytesInAll = 0;
  readonly #metrics = new Map<string, MetricValues>();
  /** By the start of their second: the generator's log has no finer times. */
  readonly #exceptions = new Map<number, number>();
  #liveErrors = 0;
  #second = { atMs: 0, requests: 0, histogram: newHistogram(3) };
  #live: LiveFigures | undefined;
  #onStart: (startedAtMs: number) => void = () => undefined;
  /** Resolves with the time of the first request, milliseconds since the epoch. */
  readonly started: Promise<number>;

  /** @param countedSeconds infinite to count all of a load, to the end of its last request */
  constructor(guardSeconds: number, countedSeconds: number) {
    this.#guardMs = guardSeconds * 1000;
    this.#countedMs = countedSeconds * 1000;
    this.#countsAll = countedSeconds === Number.POSITIVE_INFINITY;
    this.started = new Promise((resolve) => {
      this.#onStart = resolve;
    });
  }

  request(endpoint: string, endedAtMs: number, durationMs: number, failed: boolean): void {
    if (this.#startedAtMs === undefined) {
      this.#startedAtMs = endedAtMs - durationMs;
      this.#second.atMs = this.#startedAtMs + this.#guardMs;
      this.#onStart(this.#startedAtMs);
    }
    this.#firstBeginMs = Math.min(this.#firstBeginMs, endedAtMs - durationMs);
    this.#lastEndMs = Math.max(this.#lastEndMs, endedAtMs);
    if (endpoint === ownEndpoints.cutOff) this.#passesInAll += 1;
    this.#requestsInAll += 1;
    if (failed) this.#errorsInAll += 1;
    const micros = microsOf(durationMs);
    if (this.#isWithin(endedAtMs)) {
      this.#endedInTime += 1;
      if (failed) this.#liveErrors += 1;
      this.#recordLive(endedAtMs, micros);
    }
    this.#lastCounted = this.#isWithin(endedAtMs - durationMs);
    // A failed preparation is shown, because an error must not disappear.
    if (endpoint === ownEndpoints.preparation && !failed) return;
    const record = this.#endpoint(endpoint);
    record.lastCounted = this.#lastCounted;
    if (!record.lastCounted) return;
    record.requests += 1;
    if (failed) record.failed += 1;
    record.histogram.recordValue(micros);
  }

  /** A check follows the response that it concerns, so it counts if that request counts. */
  failedCheck(endpoint: string): void {
    const record = this.#endpoints.get(endpoint);
    if (record === undefined) {
      if (this.#lastCounted) this.#looseFailedChecks += 1;
    } else if (record.lastCounted) {
      record.failedChecks += 1;
    }
  }

  /** Where it is counted shows at the end: if the service hangs, passes are dropped before the first request has ended. */
  dropped(atMs: number): void {
    this.#droppedAtMs.push(atMs);
  }

  /** A block has one number of users. */
  users(): void {}

  iteration(endedAtMs: number, durationMs: number, ownMs: number): void {
    this.#passesInAll += 1;
    if (!this.#isWithin(endedAtMs)) return;
    this.#iterations += 1;
    this.#passMs += durationMs;
    this.#ownMs += ownMs;
  }

  received(bytes: number): void {
    this.#receivedBytesInAll += bytes;
  }

  metric(name: string, atMs: number, value: number): void {
    if (!this.#isWithin(atMs)) return;
    let values = this.#metrics.get(name);
    if (values === undefined) {
      values = new MetricValues();
      this.#metrics.set(name, values);
    }
    values.add(value);
  }

  exception(fromMs: number): void {
    this.#exceptions.set(fromMs, (this.#exceptions.get(fromMs) ?? 0) + 1);
  }

  /** Of all responses so far, headers included. */
  get receivedBytes(): number {
    return this.#receivedBytesInAll;
  }

  /** Undefined until the first counted second is over: figures of a ramp would mislead. */
  live(): LiveFigures | undefined {
    return this.#live;
  }

  /** @param countedSeconds how long was counted, if the load ended before the counted interval did */
  finish(countedSeconds = this.#countedSeconds()): Recording {
    const all = newHistogram(3);
    const endpoints: EndpointBlock[] = [];
    const dropped = this.#droppedAtMs.filter((atMs) => this.#isWithin(atMs)).length;
    this.#countDropped(dropped);
    for (const [name, record] of [...this.#endpoints].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (record.requests === 0) continue;
      all.add(record.histogram);
      endpoints.push({
        name,
        requests: record.requests,
        errors: record.errors,
        latency: latencyOf(record.histogram),
      });
    }
    const requests = endpoints.reduce((sum, endpoint) => sum + endpoint.requests, 0);
    const named = endpoints.reduce((sum, endpoint) => sum + endpoint.errors, 0);
    const exceptions = [...this.#exceptions]
      .filter(([fromMs]) => this.#isWithin(fromMs + halfSecondMs))
      .reduce((sum, [, count]) => sum + count, 0);
    return {
      requests,
      errors: Math.min(requests, Math.max(named, this.#looseFailedChecks, exceptions)),
      iterations: this.#iterations,
      dropped,
      ...(this.#iterations > 0 && {
        pass: {
          seconds: this.#passMs / this.#iterations / 1000,
          ownSeconds: this.#ownMs / this.#iterations / 1000,
        },
      }),
      passesInAll: this.#passesInAll + this.#droppedAtMs.length,
      countedSeconds,
      exceptions,
      tps: this.#endedInTime / countedSeconds,
      latency: latencyOf(all),
      endpoints,
      requestsInAll: this.#requestsInAll,
      errorsInAll: this.#errorsInAll,
      receivedBytesInAll: this.#receivedBytesInAll,
      metrics: this.#metrics,
    };
  }

  /**
   * A dropped pass counts as the failed requests that it would have sent, without response times. As a single request, a
   * tenth of all passes would hardly show in the error rate.
   */
  #countDropped(dropped: number): void {
    if (dropped === 0) return;
    const sent = [...this.#endpoints.values()].reduce((sum, { requests }) => sum + requests, 0);
    const perPass = this.#iterations === 0 ? 1 : Math.max(1, sent / this.#iterations);
    const record = this.#endpoint(ownEndpoints.dropped);
    record.requests = Math.round(dropped * perPass);
    record.failed = record.requests;
  }

  #countedSeconds(): number {
    if (Number.isFinite(this.#countedMs)) return this.#countedMs / 1000;
    // A load of a single request may take no time at all.
    return Math.max(1, this.#lastEndMs - this.#firstBeginMs) / 1000;
  }

  #isWithin(atMs: number): boolean {
    // The request that ends first, from which time runs, may have begun after others.
    if (this.#countsAll) return true;
    if (this.#startedAtMs === undefined) return false;
    const offset = atMs - this.#startedAtMs - this.#guardMs;
    return offset >= 0 && offset < this.#countedMs;
  }

  #endpoint(name: string): EndpointRecord {
    let record = this.#endpoints.get(name);
    if (record === undefined) {
      record = new EndpointRecord();
      this.#endpoints.set(name, record);
    }
    return record;
  }

  #recordLive(endedAtMs: number, micros: number): void {
    const elapsedMs = endedAtMs - this.#second.atMs;
    if (elapsedMs >= 1000) {
      this.#live = {
        errors: this.#liveErrors,
        tps: this.#second.requests / (elapsedMs / 1000),
        p95Ms: this.#second.histogram.getValueAtPercentile(95) / 1000,
      };
      this.#second.histogram.reset();
      this.#second.atMs = endedAtMs;
      this.#second.requests = 0;
    }
    this.#second.requests += 1;
    this.#second.histogram.recordValue(micros);
  }
}

function latencyOf(histogram: Histogram): Latency {
  const ms = (percentile: number) => histogram.getValueAtPercentile(percentile) / 1000;
  if (histogram.totalCount === 0) {
    return { meanMs: 0, p50Ms: 0, p90Ms: 0, p95Ms: 0, p99Ms: 0, maxMs: 0 };
  }
  return {
    meanMs: histogram.mean / 1000,
    p50Ms: ms(50),
    p90Ms: ms(90),
    p95Ms: ms(95),
    p99Ms: ms(99),
    maxMs: histogram.maxValue / 1000,
    histogram: encodeIntoCompressedBase64(histogram),
  };
}
