import type { Block, Run } from '../../src/model/run.ts';

const latency = {
  meanMs: 12,
  p50Ms: 10,
  p90Ms: 20,
  p95Ms: 25,
  p99Ms: 40,
  maxMs: 80,
  histogram: 'HISTFAAAAB',
};

const block: Block = {
  round: 0,
  startedAt: '2026-01-31T10:12:03.000Z',
  countedSeconds: 8,
  requests: 800,
  errors: 1,
  iterations: 100,
  tps: 100,
  latency,
  endpoints: [{ name: 'trip-overview', requests: 800, errors: 1, latency }],
  usage: { generator: { cpuShare: 0.2, rssBytes: 1e8 } },
  stealShare: 0,
  othersCpuShare: 0,
  ioWaitShare: 0,
  // Named like the field that stores leave out, which a signal may be.
  signals: { histogram: 3 },
  invalid: [],
};

/** A small valid run; runs with a higher number started later. */
export function buildRun(number: number, more: Partial<Run> = {}): Run {
  return {
    schema: 1,
    id: `run-${number}`,
    startedAt: new Date(Date.UTC(2026, 0, 1, 0, number)).toISOString(),
    finishedAt: new Date(Date.UTC(2026, 0, 1, 0, number + 1)).toISOString(),
    suite: 'pr',
    code: { commit: '1a2b3c4d'.repeat(5), branch: 'main', dirty: false },
    fingerprint: {
      cpuModel: 'AMD EPYC 9R14',
      cpuCount: 2,
      memoryGiB: 24,
      os: 'Linux 6.1',
      runner: 'local',
      stack: 'process',
      k6: '2.2.0',
      versions: { jdk: '25.0.3', mariadb: '11.4.5' },
      dataKey: 'd',
      loadHash: 'l',
    },
    warmUp: { steady: true, seconds: 30, windows: [] },
    phases: [{ phase: 'boot', seconds: 4 }],
    cells: [{ scenario: 'trip-edit', load: 'peak', vus: 510, blocks: [block] }],
    invalid: [],
    ...more,
  };
}
