import type { BlockSeries, RequestSeries } from '../../src/model/series.ts';

const seconds = [0, 1, 2, 3];

function requests(perSecond: number, p95Ms: number): RequestSeries {
  return {
    requests: seconds.map((second) => perSecond + second),
    failed: seconds.map((second) => (second === 2 ? 1 : 0)),
    p50Ms: seconds.map(() => p95Ms / 2),
    p95Ms: seconds.map((second) => (second === 3 ? null : p95Ms + second)),
    p99Ms: seconds.map(() => p95Ms * 2),
  };
}

/** A block of three seconds after a guard of one. */
export function blockSeries(more: Partial<BlockSeries>): BlockSeries {
  return {
    schema: 1,
    phase: 'block',
    side: 'head',
    startedAt: '2026-10-05T10:00:00.000Z',
    scenario: 'trip-edit',
    load: 'peak',
    round: 0,
    guardSeconds: 1,
    countedSeconds: 3,
    users: [10, 10, null, 10],
    all: requests(100, 20),
    endpoints: { 'trip-detail': requests(60, 10), 'trip-update': requests(40, 30) },
    failures: { '500': [0, 0, 1, 0] },
    readAtSeconds: [0, 1, 2, 3],
    readings: {
      serviceCpu: [null, 0.5, 0.6, 0.55],
      backingCpu: [null, 0.2, 0.2, 0.25],
      heap: [2e8, 2.5e8, 1.5e8, 2e8],
      poolPending: [0, 3, null, 4],
      statements: [null, 900, 1100, 1000],
    },
    ...more,
  };
}
