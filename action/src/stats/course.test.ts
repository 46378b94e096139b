import { describe, expect, it } from 'vitest';
import { drawNormal } from '../../test/simulation/simulated-run.ts';
import { mostDips } from '../model/course.ts';
import { courseOf } from './course.ts';
import { type CountedLoad, dipsOf } from './dips.ts';
import { createRandom } from './random.ts';

const startedAt = '2026-01-01T00:00:00.000Z';
const MiB = 2 ** 20;

interface Second {
  readonly requests?: number;
  readonly p95Ms?: number | null;
  readonly memory?: number;
}

/** A load of so many seconds, the first two of which are not counted. */
function load(length: number, second: (at: number) => Second, guardSeconds = 2): CountedLoad {
  const all = Array.from({ length }, (_, at) => ({ requests: 1000, p95Ms: 300, ...second(at) }));
  return {
    guardSeconds,
    countedSeconds: length - guardSeconds,
    seconds: {
      startedAt,
      all: {
        requests: all.map(({ requests }) => requests),
        failed: all.map(() => 0),
        p50Ms: all.map(() => 100),
        p95Ms: all.map(({ p95Ms }) => p95Ms),
        p99Ms: all.map(() => 400),
      },
      readAtSeconds: all.map((_, at) => at),
      readings: { serviceMemory: all.map(({ memory }) => memory ?? null) },
    },
  };
}

describe('dips', () => {
  // The dip of the field report: 220 requests per second of 1,020, with a p95 of 630 to 750 ms.
  const reported = (at: number): Second =>
    at >= 600 && at < 614 ? { requests: 220, p95Ms: at === 606 ? 750 : 630 } : { requests: 1020 };

  it('are found and dated, with their throughput and longest p95', () => {
    expect(dipsOf([load(900, reported)])).toEqual([
      { startedAt: '2026-01-01T00:10:00.000Z', seconds: 14, tps: 220, p95Ms: 750 },
    ]);
  });

  it('last three seconds or more, and do not begin in the ramp', () => {
    const short = load(100, (at) => (at === 0 || at === 40 || at === 41 ? { requests: 5 } : {}), 30);
    expect(dipsOf([short])).toEqual([]);
    expect(dipsOf([load(100, (at) => (at < 30 ? { requests: 5 } : {}), 30)])).toEqual([]);
  });

  it('may end with the load, and may have no response at all', () => {
    expect(dipsOf([load(60, (at) => (at >= 50 ? { requests: 0, p95Ms: null } : {}))])).toEqual([
      { startedAt: '2026-01-01T00:00:50.000Z', seconds: 10, tps: 0 },
    ]);
  });

  it('are no more than a run has room for', () => {
    const restless = load(1000, (at) => (at % 10 < 3 ? { requests: 10 } : {}));
    expect(dipsOf([restless])).toHaveLength(mostDips);
  });
});

describe('the course of a long load', () => {
  it('is kept from five minutes on', () => {
    expect(courseOf(load(300, () => ({})))).toBeUndefined();
    expect(courseOf(load(302, () => ({})))?.minutes).toBe(5);
  });

  it('has the slopes of p95 and memory, without the beginning in which the heap fills', () => {
    const random = createRandom(1);
    const course = courseOf(
      load(1802, (at) => ({
        p95Ms: 300 + (2 * at) / 60 + 10 * drawNormal(random),
        memory: 600 * MiB + Math.min(at, 120) * MiB,
      })),
    );
    const [p95, memory, ...others] = course?.trends ?? [];
    expect(others).toEqual([]);
    expect(p95?.of).toBe('p95');
    expect(p95?.perMinute.value).toBeCloseTo(2, 1);
    expect(p95?.perMinute.low).toBeGreaterThan(1.8);
    expect(p95?.perMinute.high).toBeLessThan(2.2);
    expect(memory).toMatchObject({ of: 'serviceMemory', level: 720 * MiB, perMinute: { value: 0 } });
  });

  it('has no trend of what was not read', () => {
    const silent = courseOf(load(400, () => ({ p95Ms: null })));
    expect(silent?.trends).toEqual([]);
    expect(silent?.usualTps).toBe(1000);
  });
});
