import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownEndpoints } from '../model/run.ts';

import { Recorder } from './recorder.ts';

const epoch = 1_790_000_000_000;

describe('Recorder', () => {
  it('counts what begins within the counted interval, and nothing else', () => {
    const recorder = new Recorder(3, 10);
    recorder.request('login', epoch + 5, 5, false);
    recorder.request('login', epoch + 3_004, 5, false);
    recorder.request('login', epoch + 3_005, 5, false);
    recorder.request('detail', epoch + 13_004, 5, true);
    recorder.request('detail', epoch + 13_005, 5, false);
    const recording = recorder.finish();
    expect(recording).toMatchObject({ requests: 2, errors: 1, requestsInAll: 5, errorsInAll: 1 });
    expect(recording.endpoints.map(({ name, requests, errors }) => [name, requests, errors])).toEqual([
      ['detail', 1, 1],
      ['login', 1, 0],
    ]);
  });

  it('includes a request that hangs until long after the load, with the time that it took', () => {
    const recorder = new Recorder(2.5, 5);
    recorder.request('detail', epoch + 20, 20, false);
    recorder.request('detail', epoch + 4_020, 20, false);
    recorder.request('detail', epoch + 4_000 + 15_000, 15_000, true);
    const recording = recorder.finish();
    expect(recording).toMatchObject({ requests: 2, errors: 1, endpoints: [{ requests: 2, errors: 1 }] });
    expect(recording.latency.maxMs).toBeGreaterThanOrEqual(15_000);
  });

  it('counts what ends within the interval for its throughput, whenever it began', () => {
    const recorder = new Recorder(1, 2);
    recorder.request('first', epoch, 0, false);
    recorder.request('slow', epoch + 1_000, 900, false);
    recorder.request('quick', epoch + 2_999, 1, false);
    recorder.request('late', epoch + 3_000, 500, false);
    expect(recorder.finish()).toMatchObject({ requests: 2, tps: 1 });
  });

  it('counts a preparation as load, and for no endpoint', () => {
    const recorder = new Recorder(1, 2);
    recorder.request(ownEndpoints.preparation, epoch + 10, 10, false);
    recorder.request('page', epoch + 1_500, 1, false);
    recorder.request(ownEndpoints.preparation, epoch + 1_600, 1, false);
    const { tps, requests, latency, endpoints, requestsInAll } = recorder.finish();
    expect({ tps, requests, requestsInAll }).toEqual({ tps: 1, requests: 1, requestsInAll: 3 });
    expect(endpoints).toMatchObject([{ name: 'page', latency }]);
  });

  it('counts the bytes of all responses, as it counts all requests', () => {
    const recorder = new Recorder(1, 2);
    for (const endedAtMs of [epoch, epoch + 1_500, epoch + 9_000]) {
      recorder.request('page', endedAtMs, 0, false);
      recorder.received(700);
    }
    expect(recorder.finish()).toMatchObject({ requests: 1, requestsInAll: 3, receivedBytesInAll: 2100 });
  });

  it('counts a dropped pass as the failed requests that it would have sent', () => {
    const recorder = new Recorder(0, 10);
    for (const atMs of [1_000, 2_000]) {
      for (const endpoint of ['login', 'list', 'detail']) recorder.request(endpoint, epoch + atMs, 10, false);
      recorder.iteration(epoch + atMs, 400, 370);
    }
    recorder.dropped(epoch + 2_500);
    const { requests, errors, dropped, pass, endpoints } = recorder.finish();
    expect({ requests, errors, dropped }).toEqual({ requests: 9, errors: 3, dropped: 1 });
    expect(pass).toEqual({ seconds: 0.4, ownSeconds: 0.37 });
    expect(endpoints[0]).toMatchObject({ name: ownEndpoints.dropped, requests: 3, errors: 3 });
  });

  it('counts passes that were dropped before the first request had ended', () => {
    const recorder = new Recorder(0, 10);
    recorder.dropped(epoch - 100);
    recorder.dropped(epoch + 500);
    recorder.request('page', epoch + 3_000, 3_000, false);
    recorder.dropped(epoch + 10_500);
    expect(recorder.finish()).toMatchObject({ requests: 2, errors: 1, dropped: 1, passesInAll: 3 });
  });

  it('counts all of a load that ends with its last pass', () => {
    const recorder = new Recorder(0, Number.POSITIVE_INFINITY);
    recorder.request('page', epoch + 1_000, 1_000, false);
    recorder.iteration(epoch + 1_000, 1_000, 0);
    // The slowest request may begin before the first one to end.
    recorder.request('page', epoch + 40_000, 40_500, false);
    recorder.iteration(epoch + 40_000, 40_500, 0);
    recorder.request(ownEndpoints.cutOff, epoch + 50_000, 9_000, true);
    // The log has whole seconds, and this one began before the load did.
    recorder.exception(epoch - 900);
    expect(recorder.finish()).toMatchObject({
      requests: 3,
      exceptions: 1,
      iterations: 2,
      passesInAll: 3,
      countedSeconds: 50.5,
      tps: 3 / 50.5,
    });
  });

  it('counts a dropped pass as a failed request without a response time', () => {
    const recorder = new Recorder(1, 2);
    recorder.request('page', epoch, 0, false);
    recorder.dropped(epoch + 500);
    recorder.request('page', epoch + 1_500, 100, false);
    recorder.dropped(epoch + 1_600);
    const { requests, errors, tps, latency, endpoints } = recorder.finish();
    expect({ requests, errors, tps }).toEqual({ requests: 2, errors: 1, tps: 0.5 });
    expect(latency.meanMs).toBeCloseTo(100, 0);
    expect(endpoints).toMatchObject([
      { name: ownEndpoints.dropped, requests: 1, errors: 1 },
      { name: 'page' },
    ]);
  });

  it('shows a preparation that failed', () => {
    const recorder = new Recorder(1, 2);
    recorder.request('page', epoch, 0, false);
    recorder.request(ownEndpoints.preparation, epoch + 1_600, 1, true);
    expect(recorder.finish()).toMatchObject({
      requests: 1,
      errors: 1,
      endpoints: [{ name: ownEndpoints.preparation }],
    });
  });

  it('counts a failing check with the request that it is about', () => {
    const recorder = new Recorder(1, 2);
    recorder.request('page', epoch, 0, false);
    recorder.failedCheck('page');
    recorder.request('page', epoch + 9_000, 7_000, false);
    recorder.failedCheck('page');
    recorder.failedCheck('a name that no request has');
    recorder.request('other', epoch + 9_000, 1, false);
    recorder.failedCheck('');
    expect(recorder.finish()).toMatchObject({ requests: 1, errors: 1, endpoints: [{ errors: 1 }] });
  });

  it('begins the block when the first request was sent, not when it was answered', async () => {
    const recorder = new Recorder(1, 1);
    recorder.request('slow', epoch + 900, 900, false);
    expect(await recorder.started).toBe(epoch);
  });

  it('counts a failing check of a failed request once', () => {
    const recorder = new Recorder(0, 10);
    recorder.request('login', epoch + 1, 1, true);
    recorder.failedCheck('login');
    recorder.request('detail', epoch + 2, 1, false);
    recorder.failedCheck('detail');
    recorder.failedCheck('');
    expect(recorder.finish()).toMatchObject({ requests: 2, errors: 2 });
  });

  it('counts exceptions of the counted interval as errors, once if a request failed before each', () => {
    const recorder = new Recorder(1, 3);
    recorder.exception(epoch);
    for (let at = 0; at < 4_000; at += 500) recorder.request('page', epoch + at, 0, at === 2_000);
    for (let second = 1; second < 5; second += 1) recorder.exception(epoch + 1000 * second);
    expect(recorder.finish()).toMatchObject({ requests: 6, errors: 3, exceptions: 3 });
  });

  it('never counts more errors than requests, however many exceptions there are', () => {
    const recorder = new Recorder(0, 10);
    recorder.request('page', epoch, 0, false);
    for (let index = 0; index < 5; index += 1) recorder.exception(epoch + 1000);
    expect(recorder.finish()).toMatchObject({ requests: 1, errors: 1, exceptions: 5 });
  });

  it('keeps every quantile within the histogram resolution of 0.1%', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.01, max: 60_000, noNaN: true }), { minLength: 1, maxLength: 300 }),
        (times) => {
          const recorder = new Recorder(0, 10_000);
          recorder.request('first', epoch, 0, false);
          for (const time of times) recorder.request('a', epoch + 1 + time, time, false);
          const latency = recorder.finish().endpoints[0]?.latency;
          const sorted = times.toSorted((a, b) => a - b);
          const exact = sorted[Math.ceil(0.95 * sorted.length) - 1] ?? Number.NaN;
          expect(Math.abs((latency?.p95Ms ?? 0) - exact)).toBeLessThanOrEqual(exact * 0.002 + 0.002);
        },
      ),
      { seed: 1, numRuns: 100 },
    );
  });

  it('is all zeros and finite without a request', () => {
    const recording = new Recorder(1, 1).finish();
    expect(recording).toMatchObject({ requests: 0, errors: 0, tps: 0, endpoints: [] });
    expect(recording.latency).toEqual({ meanMs: 0, p50Ms: 0, p90Ms: 0, p95Ms: 0, p99Ms: 0, maxMs: 0 });
  });

  it('reports the last second while it runs', () => {
    const recorder = new Recorder(0, 10);
    for (let at = 0; at <= 2_000; at += 10) recorder.request('a', epoch + at, 4, false);
    expect(recorder.live()?.tps).toBeCloseTo(100, 0);
    expect(recorder.live()?.p95Ms).toBeCloseTo(4, 1);
  });

  it('reports nothing while the first counted second is not over', () => {
    const recorder = new Recorder(3, 10);
    for (let at = 0; at < 3_900; at += 10) recorder.request('a', epoch + at, 4, at < 3_000);
    expect(recorder.live()).toBeUndefined();
  });

  it('reports counted seconds only, without the ramp before and the drain after them', () => {
    const recorder = new Recorder(3, 2);
    recorder.request('a', epoch, 0, false);
    for (let at = 100; at < 3_000; at += 100) recorder.request('a', epoch + at, 90, true);
    for (let at = 3_000; at < 5_000; at += 10) recorder.request('a', epoch + at, 4, at === 3_500);
    for (let at = 5_000; at < 9_000; at += 500) recorder.request('a', epoch + at, 400, true);
    expect(recorder.live()?.tps).toBe(100);
    expect(recorder.live()?.p95Ms).toBeCloseTo(4, 1);
    expect(recorder.live()?.errors).toBe(1);
  });
});
