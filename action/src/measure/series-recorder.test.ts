import { describe, expect, it } from 'vitest';
import { mostSeconds, SeriesRecorder } from './series-recorder.ts';

const epoch = Date.parse('2026-10-05T10:00:00Z');
const noReadings = { readAtSeconds: [], readings: {} };

function recorded(feed: (recorder: SeriesRecorder) => void, seconds = 60) {
  const recorder = new SeriesRecorder(seconds);
  feed(recorder);
  const series = recorder.finish(noReadings);
  if (series === undefined) throw new Error('nothing was recorded');
  return series;
}

describe('SeriesRecorder', () => {
  it('counts requests in the second in which they ended, from the start of the first one on', () => {
    const series = recorded((recorder) => {
      recorder.request('list', epoch + 100, 100, false, 0);
      recorder.request('list', epoch + 999, 1, false, 0);
      recorder.request('detail', epoch + 1_000, 900, false, 0);
      recorder.request('list', epoch + 3_000, 1, true, 503);
    });
    expect(series.startedAt).toBe('2026-10-05T10:00:00.000Z');
    expect(series.all.requests).toEqual([2, 1, 0, 1]);
    expect(series.all.failed).toEqual([0, 0, 0, 1]);
    expect(series.endpoints.list?.requests).toEqual([2, 0, 0, 1]);
    expect(series.endpoints.detail?.requests).toEqual([0, 1, 0, 0]);
    expect(series.failures).toEqual({ '503': [0, 0, 0, 1] });
  });

  it('knows percentiles to two digits, and none where nothing ended', () => {
    const { all } = recorded((recorder) => {
      for (let ms = 1; ms <= 100; ms++) recorder.request('list', epoch + 200, ms, false, 0);
      recorder.request('list', epoch + 2_500, 7, false, 0);
    });
    expect(all.p50Ms[0]).toBeCloseTo(50, -0.5);
    expect(Math.abs((all.p95Ms[0] ?? 0) - 95)).toBeLessThan(1);
    expect(Math.abs((all.p99Ms[0] ?? 0) - 99)).toBeLessThan(1);
    expect(all.p95Ms[1]).toBeNull();
  });

  it('takes samples that come a second late, and puts later ones into the oldest open second', () => {
    const { all } = recorded((recorder) => {
      for (const ms of [0, 1_100, 900, 2_100, 1_900, 3_100, 500]) {
        recorder.request('list', epoch + ms, 0, false, 0);
      }
    });
    expect(all.requests).toEqual([2, 2, 2, 1]);
  });

  it('notes the users that the generator reports', () => {
    const { users } = recorded((recorder) => {
      recorder.users(epoch - 10, 1);
      recorder.request('list', epoch, 0, false, 0);
      recorder.users(epoch + 500, 2);
      recorder.request('list', epoch + 2_000, 0, false, 0);
      recorder.users(epoch + 2_500, 4);
    });
    expect(users).toEqual([2, null, 4]);
  });

  it('is not longer than the load can be when the clock is set, forward or back', () => {
    const { all } = recorded((recorder) => {
      recorder.request('list', epoch, 0, false, 0);
      recorder.request('list', epoch + 31_536_000_000, 0, false, 0);
      recorder.request('list', epoch - 31_536_000_000, 0, false, 0);
    }, mostSeconds(10));
    expect(all.requests).toHaveLength(mostSeconds(10));
    expect(all.requests.reduce((sum, count) => sum + count, 0)).toBe(3);
  });

  it('passes seconds on while the load runs, each once and as a series of their own', () => {
    const recorder = new SeriesRecorder(60);
    const readings = { readAtSeconds: [0.5, 1.5, 2.5, 3.5], readings: { serviceCpu: [null, 0.1, 0.2, 0.3] } };
    const until = (ms: number) => {
      for (let at = ms - 1_000; at < ms; at += 250)
        recorder.request('list', epoch + at, 0, at === 1_250, 500);
    };
    until(1_000);
    expect(recorder.passed(readings)).toBeUndefined();
    for (const ms of [2_000, 3_000, 4_000]) until(ms);
    const first = recorder.passed(readings);
    expect(first).toMatchObject({
      from: 0,
      startedAt: '2026-10-05T10:00:00.000Z',
      failures: { '500': [0, 1] },
    });
    expect(first?.all.requests).toEqual([4, 4]);
    expect(first?.readings.serviceCpu).toEqual([null, 0.1]);
    until(5_000);
    const second = recorder.passed(readings);
    expect(second).toMatchObject({ from: 2, startedAt: '2026-10-05T10:00:02.000Z', readAtSeconds: [0.5] });
    expect(second?.endpoints.list?.requests).toEqual([4]);
    // The whole contains those seconds too.
    expect(recorder.finish(readings)?.all.requests).toEqual([4, 4, 4, 4, 4]);
    expect(recorder.finish(readings)?.readings.serviceCpu).toEqual([null, 0.1, 0.2, 0.3]);
  });

  it('has nothing to say of a load without requests', () => {
    expect(new SeriesRecorder(60).finish(noReadings)).toBeUndefined();
  });
});
